import sqlite3
from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from dashboard.launch.backup import backup
from dashboard.launch.rules import Refusal


class Command(BaseCommand):
    help = "Back up the SQLite database, also while Pilothouse runs. With PostgreSQL, print the pg_dump command."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="where to write the copy, which is named by the time")
        parser.add_argument("--keep", type=_number, default=14, help="how many copies to keep there (default: %(default)s)")

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            file = backup(options["folder"], options["keep"])
        except (Refusal, sqlite3.Error) as error:
            raise CommandError(str(error), returncode=2) from error
        self.stdout.write(f"The database was saved to {file}.")
        self.stdout.write(
            "It does not contain the keys. Keep secret_key and vault_keys of the data folder elsewhere; restoring needs both."
        )


def _number(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError("must be a whole number above 0")
    return int(text)
