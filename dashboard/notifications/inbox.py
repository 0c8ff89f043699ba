"""A person's notifications and e-mail preferences."""

from collections.abc import Mapping

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from dashboard.notifications import kinds
from dashboard.notifications.models import EMAIL, Delivery, Notification, Preference, State
from dashboard.web.process.database import read_keys

MOST_COUNTED = 100


def listed(person_id: int, *, unread: bool = False) -> QuerySet[Notification]:
    """Return a person's notifications, newest first."""
    found = Notification.objects.filter(person_id=person_id)
    return found.filter(read_at=None) if unread else found


def unread_count(person_id: int) -> int:
    """Count the unread ones, up to 100. Raw SQL, because every page asks."""
    return len(read_keys(Notification, "WHERE person_id = %s AND read_at IS NULL LIMIT %s", (person_id, MOST_COUNTED)))


def mark_read(found: QuerySet[Notification]) -> int:
    """Mark these as read. Return how many were unread."""
    return found.filter(read_at=None).update(read_at=timezone.now())


def wants_mail(person_id: int, kind: kinds.Kind) -> bool:
    """Whether a person gets e-mail of this kind."""
    if kind.is_security:
        return True
    chosen = Preference.objects.filter(person_id=person_id, kind=kind.name).first()
    return kind.mails if chosen is None else chosen.mails


def mailed_kinds(person_id: int) -> dict[str, bool]:
    """Return for each kind whether the person gets e-mail of it."""
    chosen = dict(Preference.objects.filter(person_id=person_id).values_list("kind", "mails"))
    return {kind.name: kind.is_security or chosen.get(kind.name, kind.mails) for kind in kinds.listed()}


def choose(person_id: int, wanted: Mapping[str, bool]) -> None:
    """Save which kinds the person wants by e-mail. Waiting e-mail of other kinds is dropped."""
    with transaction.atomic():
        for name, mails in wanted.items():
            kind = kinds.find(name)
            if kind and not kind.is_security:
                Preference.objects.update_or_create(person_id=person_id, kind=name, defaults={"mails": mails})
        unwanted = [name for name, mails in wanted.items() if not mails]
        waiting = Delivery.objects.filter(channel=EMAIL, state=State.WAITING, is_open=False)
        waiting.filter(notification__person_id=person_id, notification__kind__in=unwanted).delete()
