import os
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from dashboard.jobs.worker import work
from dashboard.launch.prepare import explain
from dashboard.launch.rules import Refusal, check_parts


class Command(BaseCommand):
    help = (
        "Do the long work: jobs, and whatever comes round by a timer. `start` runs one; a team may run several, "
        "beside one another or on several machines with the same database."
    )
    requires_system_checks = ()

    def handle(self, *_args: Any, **_options: Any) -> None:
        try:
            check_parts(os.environ)
            work(_ready)
        except (Refusal, DatabaseError) as error:
            raise CommandError(explain(error), returncode=2) from error


def _ready() -> None:
    """One word on standard output when the work begins: `start` waits for it."""
    sys.stdout.write("ready\n")
    sys.stdout.flush()
