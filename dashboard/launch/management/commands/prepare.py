import os
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from dashboard.launch.owner import welcome
from dashboard.launch.prepare import explain, prepare
from dashboard.launch.rules import Refusal, check


class Command(BaseCommand):
    help = "Bring tables and static files up to date and make the first owner: once before the web starts, for those who run the parts themselves."
    requires_system_checks = ()

    def handle(self, *_args: Any, **_options: Any) -> None:
        try:
            check(os.environ)
            prepare()
            owner = welcome({})
        except (Refusal, ImproperlyConfigured, DatabaseError, OSError) as error:
            raise CommandError(explain(error), returncode=2) from error
        self.stdout.write(f"Ready. The first owner is {owner['email']}.")
        if owner.get("link"):
            self.stdout.write(f"To choose a password, open this path once on the address of Pilothouse: {owner['link']}")
