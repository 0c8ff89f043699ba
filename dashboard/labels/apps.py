from django.apps import AppConfig


class LabelsConfig(AppConfig):
    name = "dashboard.labels"
    label = "labels"

    def ready(self) -> None:
        from dashboard.labels.frame import project_label, touches_production  # noqa: PLC0415 - models are loaded from now on
        from dashboard.web import confirm, frame  # noqa: PLC0415 - as above

        frame.add("project_label", project_label)
        confirm.add_production_check(touches_production)
