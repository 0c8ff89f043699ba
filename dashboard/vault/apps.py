from django.apps import AppConfig
from django.core.checks import register

from dashboard.vault.checks import check_keys


class VaultConfig(AppConfig):
    name = "dashboard.vault"
    label = "vault"

    def ready(self) -> None:
        register(check_keys)
