from django.apps import AppConfig


class LabelsConfig(AppConfig):
    name = "dashboard.labels"
    label = "labels"

    def ready(self) -> None:
        from dashboard.labels.frame import project_label, touches_production  # noqa: PLC0415 - models are loaded from now on
        from dashboard.labels.services import label_of  # noqa: PLC0415 - as above
        from dashboard.notifications import hooks  # noqa: PLC0415 - as above
        from dashboard.web.pages import confirm, frame  # noqa: PLC0415 - as above

        frame.add("project_label", project_label)
        confirm.add_production_check(touches_production)
        hooks.place_names.append(lambda ref, _person_id: label_of(ref).name)
