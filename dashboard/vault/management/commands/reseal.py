"""`manage.py reseal`: use the newest key for all stored secrets."""

from typing import Any

from django.core.management.base import BaseCommand

from dashboard.vault.reseal import reseal


class Command(BaseCommand):
    help = "Encrypt every stored secret with the first key of VAULT_KEYS. Safe to repeat and to interrupt."

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002 - Django's signature
        result = reseal()
        self.stdout.write(f"{result.done} encrypted with the newest key.")
        if result.broken:
            self.stdout.write(f"{result.broken} can't be decrypted with any key. Their owners have to store them again.")
        else:
            self.stdout.write("You can now remove the older keys from VAULT_KEYS.")
