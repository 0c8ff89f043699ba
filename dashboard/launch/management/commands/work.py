import os
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from dashboard.jobs.worker import work
from dashboard.launch.prepare import explain
from dashboard.launch.rules import Refusal, check_parts
from dashboard.launch.versions import refuse_newer


class Command(BaseCommand):
    help = (
        "Run jobs and scheduled work. `start` runs one worker; you can run several, "
        "also on several machines with the same database."
    )
    requires_system_checks = ()

    def handle(self, *_args: Any, **_options: Any) -> None:
        try:
            check_parts(os.environ)
            refuse_newer()
            if settings.METRICS_ADDRESS:
                from dashboard.launch.metrics import serve_worker  # noqa: PLC0415 - loads its library only where figures are on

                serve_worker(settings.METRICS_ADDRESS)
            work(_ready)
        except (Refusal, DatabaseError) as error:
            raise CommandError(explain(error), returncode=2) from error


def _ready() -> None:
    """Print "ready", which `start` waits for."""
    sys.stdout.write("ready\n")
    sys.stdout.flush()
