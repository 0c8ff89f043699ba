from django.apps import AppConfig


class ProjectsConfig(AppConfig):
    name = "dashboard.features.projects"
    label = "projects"

    def ready(self) -> None:
        from dashboard.features.projects.services import create, organizations  # noqa: PLC0415 - models may be imported only now
        from dashboard.jobs.settlement import Rule, register  # noqa: PLC0415 - as above

        register("M2", Rule(create.read_back, create.is_created, changes="projects"))
        register("M4", Rule(organizations.read_back, organizations.is_created, changes="organizations"))
