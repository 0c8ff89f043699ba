"""Notify people and the team. Only writes rows; calls no service."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Protocol

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from dashboard.notifications import channels, inbox, kinds, mail
from dashboard.notifications.models import EMAIL, Delivery, Notification, Outage, State

KEEP = timedelta(days=90)
# A message that could not be sent for this long is given up.
GIVE_UP_AFTER = timedelta(days=1)
MOST_ROWS = 2000


class Recipient(Protocol):
    """A person of the team."""

    @property
    def pk(self) -> int: ...
    @property
    def is_active(self) -> bool: ...


def notify(kind: str, people: Iterable[Recipient], *, title: str, address: str, key: str, place: str = "") -> None:
    """Notify these people and, unless the kind is personal, the team's channels. Once per kind, key and recipient.

    `title` says what happened and to what, without a secret, `address` is the path of the page to open, `place` the project's ref
    or the space. Channels get the first title for an event, so it must not address anybody as "you".
    """
    found = kinds.find(kind)
    if found is None:
        raise KeyError(f"No kind of notification is called {kind!r}.")
    values = {"place": place, "title": " ".join(title.split())[:200], "address": address}
    with transaction.atomic():
        for person in people:
            if person.is_active or found.is_security:
                _tell(found, person.pk, key[:200], values)
        if not (found.is_personal or found.is_security) and (wanted := channels.ids()):
            row, is_new = Notification.objects.get_or_create(person=None, kind=kind, key=key[:200], defaults=values)
            if is_new:
                Delivery.objects.bulk_create(Delivery(notification=row, channel=channel) for channel in wanted)


def untold(kind: str, keys: Iterable[str]) -> list[str]:
    """Return the keys that nobody was notified of yet, in order, so that reminders notify only once."""
    wanted = list(keys)
    told = set(Notification.objects.filter(kind=kind, key__in=wanted).values_list("key", flat=True))
    return [key for key in wanted if key not in told]


def reword(kind: str, key: str, title: str) -> bool:
    """Replace the title of a notification and, if it differs, mark it unread. Return False if there is none."""
    told = Notification.objects.filter(kind=kind, key=key[:200], person__isnull=False)
    title = " ".join(title.split())[:200]
    told.exclude(title=title).update(title=title, read_at=None)
    return told.exists()


def was_told(kind: str, key: str) -> bool:
    """Whether somebody was notified of this key, or of one that continues it after a space."""
    return Notification.objects.filter(Q(key=key) | Q(key__startswith=f"{key} "), kind=kind).exists()


def tidy() -> None:
    """Delete a batch of old notifications, and give up messages that could not be sent for a day."""
    now = timezone.now()
    late = Delivery.objects.filter(state=State.WAITING, is_open=False, notification__made_at__lt=now - GIVE_UP_AFTER)
    late.update(state=State.FAILED)
    Outage.objects.exclude(channel__in=[EMAIL, *channels.ids()]).delete()
    old = Notification.objects.filter(made_at__lt=now - KEEP).values_list("pk", flat=True)[:MOST_ROWS]
    Notification.objects.filter(pk__in=list(old)).delete()


def _tell(kind: kinds.Kind, person_id: int, key: str, values: dict[str, str]) -> None:
    row, is_new = Notification.objects.get_or_create(person_id=person_id, kind=kind.name, key=key, defaults=values)
    if is_new and mail.is_set_up() and inbox.wants_mail(person_id, kind):
        Delivery.objects.create(notification=row, channel=EMAIL)
