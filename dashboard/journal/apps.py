from django.apps import AppConfig

from dashboard.web.pages import navigation


class JournalConfig(AppConfig):
    name = "dashboard.journal"
    label = "journal"

    def ready(self) -> None:
        navigation.add_section("Activity", "activity", "journal:index", order=30, covers=("/jobs/", "/notifications/"))
