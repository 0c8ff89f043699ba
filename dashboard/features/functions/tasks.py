"""Notify people of functions that were created, changed or deleted."""

from datetime import timedelta
from functools import partial

from django.urls import reverse
from django.utils import timezone

from dashboard.features.functions.services.verification import touched
from dashboard.journal.models import Entry, Outcome
from dashboard.notifications import outbox
from dashboard.team.models import Person

CHANGED = "function changed"
OPERATIONS = ("M9", "M12", "M13")
LOOKS_BACK = timedelta(days=1)
MOST_REMINDED = 200


def remind() -> None:
    """Notify of changes whose outcome is known: who changed the function before, whose token was used, and the channels."""
    done = Entry.objects.filter(operation__in=OPERATIONS, outcome__in=(Outcome.DONE, Outcome.PARTLY))
    recent = done.filter(started_at__gt=timezone.now() - LOOKS_BACK).select_related("person", "through")
    found = {str(entry.pk): entry for entry in reversed(recent.order_by("-pk")[:MOST_REMINDED])}
    for key in outbox.untold(CHANGED, found):
        entry = found[key]
        earlier = done.filter(place=entry.place, target=entry.target, pk__lt=entry.pk).exclude(person=entry.person)
        people = Person.objects.filter(pk__in=earlier.order_by().values("person")).exclude(pk=entry.through_id or 0)
        tell = partial(outbox.notify, CHANGED, address=_address(entry), key=key, place=entry.place)
        title = f"The function “{_slug(entry)}” was {_verb(entry)} by {entry.person}"
        tell(people, title=title)
        if entry.through:
            tell([entry.through], title=f"{title} through your token")


def _verb(entry: Entry) -> str:
    if entry.operation == "M13":
        return "deleted"
    if entry.operation == "M9":
        return "created"
    after = entry.after or {}
    if version := after.get("body of version"):
        return f"rolled back to version {version}"
    return "deployed" if "body" in after else "changed"


def _slug(entry: Entry) -> str:
    return entry.target.removeprefix(touched(""))


def _address(entry: Entry) -> str:
    if entry.operation == "M13":
        return reverse("functions:index", args=[entry.place])
    return reverse("functions:show", args=[entry.place, _slug(entry)])
