"""Sealing: what this package adds to Django."""

from typing import Any

from django.apps import apps as all_apps
from django.core.checks import register
from django.db.models.signals import post_migrate

from dashboard.vault.checks import check_keys
from dashboard.vault.lookup import ensure_key


def _ensure_lookup_key(*, apps: Any = all_apps, **_: Any) -> None:
    """Create the lookup key after migrations, and after tests empty the tables."""
    if "lookupkey" in apps.all_models["vault"]:
        ensure_key()


register(check_keys)
post_migrate.connect(_ensure_lookup_key, sender=all_apps.get_app_config("vault"))
