"""`manage.py reseal`: after a new key was put in front of VAULT_KEYS."""

from typing import Any

from django.core.management.base import BaseCommand

from dashboard.vault.reseal import reseal


class Command(BaseCommand):
    help = "Seal every stored token with the newest key of VAULT_KEYS. Safe to repeat and to interrupt."

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002 - Django's signature
        result = reseal()
        self.stdout.write(f"{result.done} sealed with the newest key.")
        if result.broken:
            self.stdout.write(f"{result.broken} do not open with any key; their owners will be asked to store them again.")
        else:
            self.stdout.write("The older keys can be removed from VAULT_KEYS.")
