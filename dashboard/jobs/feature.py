"""Long work: what this package adds to lower ones."""

from functools import partial

from dashboard.jobs import retention, schedules, settlement, settlement_queue, transitions, unsettled
from dashboard.jobs.tray import job_tray
from dashboard.journal import queries
from dashboard.notifications import kinds as notifications
from dashboard.team import hooks
from dashboard.web.input import idempotency
from dashboard.web.pages import frame

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
