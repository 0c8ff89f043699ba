"""Notify people and the team: rows only, no call to a service."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Protocol

from django.db import transaction
from django.utils import timezone

from dashboard.notifications import inbox, kinds, mail
from dashboard.notifications.models import EMAIL, Delivery, Notification, State

KEEP = timedelta(days=90)
# A message that could not be sent for so long is not sent any more.
GIVE_UP_AFTER = timedelta(days=1)
MOST_ROWS = 2000


class Recipient(Protocol):
    """A person of the team."""

    @property
    def pk(self) -> int: ...
    @property
    def is_active(self) -> bool: ...


def notify(kind: str, people: Iterable[Recipient], *, title: str, address: str, key: str, place: str = "") -> None:
    """Notify these people, once per kind, key and person.

    `title` is a sentence without a secret, `address` the path of the page to open, `place` the project's ref or the space.
    """
    found = kinds.find(kind)
    if found is None:
        raise KeyError(f"No kind of notification is called {kind!r}.")
    values = {"place": place, "title": " ".join(title.split())[:200], "address": address}
    with transaction.atomic():
        for person in people:
            if person.is_active:
                _tell(found, person.pk, key[:200], values)


def tidy() -> None:
    """Delete a batch of old notifications, and give up on messages that could not be sent for a day."""
    now = timezone.now()
    late = Delivery.objects.filter(state=State.WAITING, is_open=False, notification__made_at__lt=now - GIVE_UP_AFTER)
    late.update(state=State.FAILED)
    old = Notification.objects.filter(made_at__lt=now - KEEP).values_list("pk", flat=True)[:MOST_ROWS]
    Notification.objects.filter(pk__in=list(old)).delete()


def _tell(kind: kinds.Kind, person_id: int, key: str, values: dict[str, str]) -> None:
    row, is_new = Notification.objects.get_or_create(person_id=person_id, kind=kind.name, key=key, defaults=values)
    if is_new and mail.is_set_up() and inbox.wants_mail(person_id, kind):
        Delivery.objects.create(notification=row, channel=EMAIL)
