# noqa: N999 - the word that is typed
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from dashboard.launch.prepare import explain
from dashboard.launch.rules import Refusal
from dashboard.launch.transfer import import_from


class Command(BaseCommand):
    help = "Prepare a new database and fill it from a file that `export` wrote, while Pilothouse is stopped."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="the file that `export` wrote")

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            count = import_from(options["file"])
        except (Refusal, ImproperlyConfigured, DatabaseError, OSError) as error:
            raise CommandError(explain(error), returncode=2) from error
        self.stdout.write(f"{count} rows were imported. Start Pilothouse; everybody signs in again.")
