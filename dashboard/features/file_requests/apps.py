from django.apps import AppConfig


class FileRequestsConfig(AppConfig):
    name = "dashboard.features.file_requests"
    label = "file_requests"

    def ready(self) -> None:
        from dashboard.features.file_requests import tasks  # noqa: PLC0415 - models may be imported only now
        from dashboard.features.file_requests.services import folders, inbox, requests, reservations  # noqa: PLC0415 - as above
        from dashboard.jobs import retention  # noqa: PLC0415 - as above
        from dashboard.jobs.settlement import Rule, register  # noqa: PLC0415 - as above
        from dashboard.links import holders  # noqa: PLC0415 - as above
        from dashboard.notifications import delivery, kinds  # noqa: PLC0415 - as above
        from dashboard.team import hooks  # noqa: PLC0415 - as above

        hooks.belongings.append(lambda person: person.filerequests.all())
        hooks.possessions.append(hooks.Possession("file request", requests.current_of, requests.hand_over))
        register("S11", Rule(inbox.read_back, inbox.is_moved, inbox.after_move))
        retention.register(reservations.settle_stale)
        kinds.register(kinds.Kind(tasks.ARRIVED, "Requested files arrived"))
        delivery.add_reminder(tasks.remind)
        holders.register(folders.HOLDER)
