"""`manage.py link`: create a password link for a person who lost theirs."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from dashboard.team.models import Person
from dashboard.team.services import way_in


class Command(BaseCommand):
    help = "Print a one-time link that lets a person set a new password and sign in."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", help="the person's e-mail address")
        parser.add_argument(
            "--address", default="", help="where Pilothouse is reached (default: PUBLIC_URL, else http://127.0.0.1:8000)"
        )

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002 - Django's signature
        person = Person.objects.filter(email__iexact=options["email"]).first()
        if person is None:
            raise CommandError(f"Nobody on the team has the address {options['email']}.")
        if not person.is_active:
            raise CommandError(f"{person} is deactivated; an owner has to reactivate the account first.")
        self.stdout.write(way_in(person, options["address"] or settings.PUBLIC_URL or "http://127.0.0.1:8000"))
