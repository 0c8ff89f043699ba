import sqlite3
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from dashboard.launch.backup import restore
from dashboard.launch.rules import Refusal


class Command(BaseCommand):
    help = "Replace the SQLite database by a backup, while Pilothouse is stopped."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="the backup")

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            kept = restore(options["file"])
        except (Refusal, sqlite3.Error, OSError) as error:
            raise CommandError(str(error), returncode=2) from error
        self.stdout.write(f"Restored from {options['file']}." + (f" The old database is kept in {kept}." if kept else ""))
        self.stdout.write("The next start migrates it.")
