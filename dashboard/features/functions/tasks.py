"""Notify people of functions that somebody else changed."""

from datetime import timedelta

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
    """Notify everybody who changed a function before that somebody else deployed or deleted it, once that is known."""
    done = Entry.objects.filter(operation__in=OPERATIONS, outcome__in=(Outcome.DONE, Outcome.PARTLY))
    recent = done.filter(started_at__gt=timezone.now() - LOOKS_BACK).select_related("person").order_by("-pk")[:MOST_REMINDED]
    found = {str(entry.pk): entry for entry in recent}
    for key in outbox.untold(CHANGED, found):
        entry = found[key]
        earlier = done.filter(place=entry.place, target=entry.target, pk__lt=entry.pk).exclude(person=entry.person)
        people = Person.objects.filter(pk__in=earlier.order_by().values("person"))
        if people:
            outbox.notify(
                CHANGED,
                people,
                title=f"{entry.person} {_verb(entry)} {entry.target}",
                address=_address(entry),
                key=key,
                place=entry.place,
            )


def _verb(entry: Entry) -> str:
    if entry.operation == "M13":
        return "deleted"
    return "deployed" if "body" in (entry.after or {}) else "changed"


def _address(entry: Entry) -> str:
    if entry.operation == "M13":
        return reverse("functions:index", args=[entry.place])
    return reverse("functions:show", args=[entry.place, entry.target.removeprefix(touched(""))])
