from django.apps import AppConfig


class TrialConfig(AppConfig):
    name = "dashboard.features.trial"
    label = "trial"
