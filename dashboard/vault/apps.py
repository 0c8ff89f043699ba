from typing import Any

from django.apps import AppConfig
from django.apps import apps as all_apps
from django.core.checks import register
from django.db.models.signals import post_migrate

from dashboard.vault.checks import check_keys


class VaultConfig(AppConfig):
    name = "dashboard.vault"
    label = "vault"

    def ready(self) -> None:
        register(check_keys)
        post_migrate.connect(_ensure_lookup_key, sender=self)


def _ensure_lookup_key(*, apps: Any = all_apps, **_: Any) -> None:
    """Create the lookup key after migrations, and after tests empty the tables."""
    from dashboard.vault.lookup import ensure_key  # noqa: PLC0415 - models need the app registry

    if "lookupkey" in apps.all_models["vault"]:
        ensure_key()
