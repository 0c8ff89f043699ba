"""Open share links: find one by its code, count downloads, issue tickets, and record whether the file was found."""

import hmac
from datetime import datetime, timedelta
from typing import TypeVar

from django.contrib.auth.hashers import check_password
from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Coalesce
from django.utils import timezone

from dashboard.links import openings
from dashboard.links.codes import SHAPE, digest, new_code
from dashboard.links.models import CodedLink, Share, Ticket, with_right
from dashboard.links.openings import Visit
from dashboard.team.models import Person
from dashboard.tokens.grants import fingerprint_of
from dashboard.tokens.models import Kind, StoredToken
from dashboard.web.http.requests import client_of
from dashboard.web.limits import throttle
from dashboard.web.limits.throttle import of_address
from dashboard.web.process.database import read_rows

# `Shares.current` as plain SQL, because composing the query takes time at every opening.
_TAKE = """
    UPDATE links_share SET opened = opened + 1, opened_at = %s
    WHERE id = %s AND revoked_at IS NULL AND ends_at > %s AND ("limit" IS NULL OR opened < "limit")
"""

TICKET_LIVES = timedelta(hours=1)
MOST_GUESSES = 100

L = TypeVar("L", bound=CodedLink)


def find(kind: type[L], code: str) -> L | None:
    """Return the link of this kind with this code, in any state."""
    if not SHAPE.fullmatch(code):
        return None
    wanted = digest(code, purpose=kind.purpose_of_codes())
    link = next(iter(read_rows(kind, "WHERE code_digest = %s", (wanted,))), None)
    if link is None or not hmac.compare_digest(link.code_digest, wanted):
        return None
    link.owner = read_rows(Person, "WHERE id = %s", (link.owner_id,))[0]
    return link


def password_fits(link: CodedLink, password: str, address: str) -> bool:
    """Check the password. After 10 wrong ones in 15 minutes the link is locked for this address: `TooMany`, unchecked.

    After 100 from several addresses it is locked for all. Other links stay open.
    """
    name = f"{link.SUBJECT}:{link.pk}"
    tries = throttle.count(throttle.subject(name, client_of(address)), name, most={name: MOST_GUESSES})
    fits = check_password(password, link.password)
    if fits:
        throttle.forgive(tries)
    return fits


def take(share: Share, visit: Visit) -> bool:
    """Count one opening. Return False if the link no longer opens or its limit is reached. Safe under concurrency."""
    now = timezone.now()
    with transaction.atomic():
        if is_taken := _take(share, now):
            openings.keep(share.pk, visit, now)
    return is_taken


def _take(share: Share, at: datetime) -> bool:
    now = connection.ops.adapt_datetimefield_value(at)
    with connection.cursor() as cursor:
        cursor.execute(_TAKE, (now, share.pk, now))
        return bool(cursor.rowcount == 1)


def take_ticket(share: Share, bucket: str, key: str, address: str) -> str | None:
    """Count one download and return its ticket, valid for this object and client address. None where `take` is False."""
    code, now = new_code(), timezone.now()
    Ticket.objects.filter(ends_at__lt=now).delete()
    with transaction.atomic():
        if not _take(share, now):
            return None
        Ticket.objects.create(
            share=share,
            digest=digest(code, purpose="ticket"),
            bucket=bucket,
            key=key,
            address=of_address(address),
            ends_at=now + TICKET_LIVES,
        )
    return code


def ticket_of(share: Share, code: str, address: str) -> Ticket | None:
    """Return the ticket if it belongs to this share and client and has not expired."""
    wanted = digest(code, purpose="ticket")
    ticket = Ticket.objects.filter(share=share, digest=wanted, ends_at__gt=timezone.now()).first()
    return ticket if ticket is not None and hmac.compare_digest(ticket.address, of_address(address)) else None


def begun(ticket: Ticket, visit: Visit) -> None:
    """Record that bytes were sent, so the download counts for good."""
    if ticket.begun_at is None:
        now = timezone.now()
        with transaction.atomic():
            if Ticket.objects.filter(pk=ticket.pk, begun_at__isnull=True).update(begun_at=now):
                openings.keep(ticket.share_id, visit, now)


def give_back(ticket: Ticket) -> None:
    """Refund a download of which no byte was sent."""
    with transaction.atomic():
        if Ticket.objects.filter(pk=ticket.pk, begun_at__isnull=True).delete()[0]:
            Share.objects.filter(pk=ticket.share_id, opened__gt=0).update(opened=F("opened") - 1)


def missed(share: Share) -> None:
    """Record when the file was first found missing; `met` clears it."""
    Share.objects.filter(pk=share.pk).update(gone_at=Coalesce("gone_at", timezone.now()), hidden_at=None)


def may_be_hidden(share: Share) -> bool:
    """Whether the link was last read with another token of its owner, so that the current one may just not see the file."""
    return share.gone_at is None and bool(share.reader) and share.reader != reader_of(share)


def refused(share: Share) -> None:
    """Record that the owner's token can't read the file, or that there is no token."""
    Share.objects.filter(pk=share.pk).update(hidden_at=timezone.now())


def met(share: Share) -> None:
    """Record that the file was found."""
    unknown = share.kind == Share.Kind.OBJECTS and not share.reader
    if share.gone_at is not None or share.hidden_at is not None or unknown:
        Share.objects.filter(pk=share.pk).update(gone_at=None, hidden_at=None, reader=reader_of(share))


def reader_of(share: Share) -> str:
    """Return the fingerprint of the token that opens the link now; "" if none does."""
    if share.grant is not None:
        return fingerprint_of(share.grant)
    stored = StoredToken.objects.filter(person=share.owner_id, kind=Kind.STORAGE, space=share.space)
    return stored.values_list("fingerprint", flat=True).first() or ""


def still_open(share: Share) -> bool:
    """Whether the share is still active, for streams in progress. Its grant is checked where they are read."""
    return Share.objects.filter(with_right(Share.RIGHT), pk=share.pk, revoked_at__isnull=True, owner__is_active=True).exists()
