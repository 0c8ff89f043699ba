from django.apps import AppConfig


class SecretsConfig(AppConfig):
    name = "dashboard.features.secrets"
    label = "secrets"
