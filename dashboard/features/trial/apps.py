from django.apps import AppConfig
from django.conf import settings

from dashboard.web.pages import frame, navigation


class TrialConfig(AppConfig):
    name = "dashboard.features.trial"
    label = "trial"

    def ready(self) -> None:
        from dashboard.features.trial.views.line import line_of  # noqa: PLC0415 - models are there only now

        frame.add("sandbox_line", line_of)
        navigation.add_section(
            "Sandbox", "flask-conical", "trial:index", order=70, is_available=lambda: bool(settings.SANDBOX_URL)
        )
