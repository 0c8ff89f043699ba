"""`manage.py link`: create a password link for a person who lost theirs."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from dashboard.team import factors, mail
from dashboard.team.links import make_link
from dashboard.team.models import Person


class Command(BaseCommand):
    help = "Print a one-time link that lets a person set a new password and sign in."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", metavar="PERSON", help="the person's e-mail address")
        parser.add_argument(
            "--address", default="", help="where Pilothouse is reached (default: PUBLIC_URL, else http://localhost:8000)"
        )
        parser.add_argument(
            "--reset-factors",
            action="store_true",
            help="also delete the person's passkeys, authenticator app, recovery codes and connection with the sign-in provider,"
            " and end all sessions",
        )

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002 - Django's signature
        person = Person.objects.filter(email__iexact=options["email"]).first()
        if person is None:
            raise CommandError(f"Nobody on the team has the address {options['email']}.")
        if not person.is_active:
            raise CommandError(f"{person} is deactivated; an owner has to reactivate the account first.")
        if options["reset_factors"]:
            factors.reset(person)
            mail.wait_for_delivery()
        self.stdout.write(make_link(person, options["address"] or settings.PUBLIC_URL or "http://localhost:8000"))
