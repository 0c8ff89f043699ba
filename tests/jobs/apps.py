from django.apps import AppConfig


class TrialsConfig(AppConfig):
    name = "tests.jobs"
    label = "trials"

    def ready(self) -> None:
        from tests.jobs import trials

        trials.register()
