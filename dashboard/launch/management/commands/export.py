from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from dashboard.launch.prepare import explain
from dashboard.launch.rules import Refusal
from dashboard.launch.transfer import export


class Command(BaseCommand):
    help = "Write everything but sessions to a file that `import` reads into another database, while Pilothouse is stopped."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="the file to write; it must not exist")

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            count = export(options["file"])
        except (Refusal, ImproperlyConfigured, DatabaseError, OSError) as error:
            raise CommandError(explain(error), returncode=2) from error
        self.stdout.write(f"{count} rows were exported to {options['file']}, which only this account can read.")
        self.stdout.write("Importing them needs the same VAULT_KEYS.")
