"""What others did to a person's account, told at the person's next sign-in."""

from datetime import timedelta

from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone

from dashboard.journal.models import Entry, Outcome
from dashboard.team.devices import device_of
from dashboard.team.models import Person, Role

LONGEST = timedelta(days=30)
LINK_USED = "link used"
ACTS = ("link made", "role changed", "person deactivated", "person reactivated")


def unread(request: HttpRequest, person: Person) -> list[str]:
    """Since the last sign-in on this device, where it is known; else of the last 30 days. Call it before the sign-in.

    A sign-in elsewhere does not count as having read it: it may be somebody else's.
    """
    if person.last_login is None:
        return []
    device = device_of(request, person)
    since = device.seen_at if device else timezone.now() - LONGEST
    others = Q(operation__in=ACTS) & ~Q(person=person)
    links = Q(operation=LINK_USED, person=person) & ~Q(after__made_by="")
    found = Entry.objects.filter(others | links, target=person.email, outcome=Outcome.DONE, started_at__gt=since)
    return list(dict.fromkeys(_sentence(entry) for entry in found.select_related("person").order_by("pk")))


def _sentence(entry: Entry) -> str:
    day, by, after = f"{entry.started_at:%Y-%m-%d}", entry.person, entry.after or {}
    match entry.operation:
        case "link used":
            return f"Your password was set with a link that {after['made_by']} made ({day})."
        case "link made":
            return f"{by} made a link to set your password ({day})."
        case "role changed":
            return f"{by} changed your role to {Role(after['role']).label} ({day})."
        case "person deactivated":
            return f"{by} deactivated your account ({day})."
        case _:
            return f"{by} reactivated your account ({day})."
