from django.apps import AppConfig

from dashboard.web.pages import navigation


class ObjectsConfig(AppConfig):
    name = "dashboard.features.objects"
    label = "objects"

    def ready(self) -> None:
        from dashboard.catalog import receipts  # noqa: PLC0415 - models may be imported only now
        from dashboard.features.objects.services import delete  # noqa: PLC0415 - as above
        from dashboard.features.objects.views import batch  # noqa: PLC0415 - as above
        from dashboard.jobs.settlement import Rule, register  # noqa: PLC0415 - as above
        from dashboard.journal import queries  # noqa: PLC0415 - as above

        navigation.add_inner("bucket", "objects:index", of="space")
        queries.add_action_page(batch.page_of)
        gone = Rule(
            delete.read_back,
            delete.are_deleted,
            delete.after_deletion,
            part=delete.deleted_part,
        )
        stored = Rule(
            receipts.read_back,
            receipts.is_stored,
            receipts.after_upload,
            runs=receipts.is_uploading,
        )
        for operation, rule in (("S7", gone), ("S8", gone), ("S9", stored), ("S10", stored)):
            register(operation, rule)
