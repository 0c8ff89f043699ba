import os
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from dashboard.launch.owner import DEFAULT_EMAIL, welcome
from dashboard.launch.prepare import collect, explain, prepare
from dashboard.launch.rules import Refusal, check_parts, setting


class Command(BaseCommand):
    help = (
        "Migrate the database, collect static files and create the first owner. "
        "Run it before the web server unless you use `start`."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--static-only", action="store_true", help="only collect the static files, without a database")
        parser.add_argument("--lost-keys", action="store_true", help="go on with new VAULT_KEYS because the old ones are lost")

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            if options["static_only"]:
                collect()
                return
            check_parts(os.environ)
            prepare(lost_keys=options["lost_keys"])
            owner = welcome(email=setting(os.environ, "OWNER_EMAIL"), address=setting(os.environ, "PUBLIC_URL"))
        except (Refusal, ImproperlyConfigured, DatabaseError, OSError) as error:
            raise CommandError(explain(error), returncode=2) from error
        if owner["email"] == DEFAULT_EMAIL:
            self.stderr.write(f"OWNER_EMAIL is not set, so the first owner is {DEFAULT_EMAIL}, who can't receive mail.")
        self.stdout.write(f"Prepared. Sign in as {owner['email']}.")
        if owner["link"]:
            self.stdout.write(f"This link works once and lets you choose a password: {owner['link']}")
