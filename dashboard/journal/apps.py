from django.apps import AppConfig


class JournalConfig(AppConfig):
    name = "dashboard.journal"
    label = "journal"
