from functools import partial

from django.apps import AppConfig


class JobsConfig(AppConfig):
    name = "dashboard.jobs"
    label = "jobs"

    def ready(self) -> None:
        from dashboard.jobs import retention, schedules, settlement, settlement_queue, transitions, unsettled  # noqa: PLC0415 - models are loaded from now on
        from dashboard.jobs.tray import job_tray  # noqa: PLC0415 - as above
        from dashboard.journal import queries  # noqa: PLC0415 - as above
        from dashboard.notifications import kinds as notifications  # noqa: PLC0415 - as above
        from dashboard.team import hooks  # noqa: PLC0415 - as above
        from dashboard.web.input import idempotency  # noqa: PLC0415 - as above
        from dashboard.web.pages import frame  # noqa: PLC0415 - as above

        frame.add("job_tray", job_tray)
        frame.add("unsettled", unsettled.unsettled_of)
        frame.add("checking", settlement.checking_of)
        schedules.register(settlement_queue.KIND, settlement.run, ended=settlement.ended)
        retention.register(settlement.adopt)
        queries.add_check(unsettled.check_url)
        idempotency.add_ending(unsettled.ended_form)
        # Also running jobs: the worker's next write finds no row, and it stops.
        hooks.belongings += [lambda person: person.jobs.all(), lambda person: person.schedules.all()]
        for name, of in (("unfinished job", transitions.unfinished_of), ("partly done job", transitions.partly_done_of)):
            hooks.possessions.append(hooks.Possession(name, of, partial(transitions.hand_over, of), ("job begun",)))
        notifications.register(notifications.Kind("job decision", "Job needs a decision"))
        notifications.register(notifications.Kind("job finished", "Job finished", mails=False))
        notifications.register(notifications.Kind("job failed", "Job failed"))
        notifications.register(notifications.Kind(unsettled.ENDED, "Change in doubt ended", mails=False))
