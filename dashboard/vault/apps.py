from django.apps import AppConfig


class VaultConfig(AppConfig):
    name = "dashboard.vault"
    label = "vault"
