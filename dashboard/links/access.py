"""What happens to a share's record when somebody opens it: found, counted once for each download, given back."""

import hmac
from datetime import timedelta

from django.contrib.auth.hashers import check_password
from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from dashboard.links.codes import SHAPE, digest, new_code
from dashboard.links.models import Share, Ticket
from dashboard.team.models import Person
from dashboard.tokens.models import Kind, StoredToken
from dashboard.web import throttle
from dashboard.web.database import read_rows
from dashboard.web.throttle import of_address

# Run whenever a link is opened, so without the time it takes to compose it. `Shares.live` in SQL.
_TAKE = """
    UPDATE links_share SET opened = opened + 1, opened_at = %s
    WHERE id = %s AND revoked_at IS NULL AND ends_at > %s AND ("limit" IS NULL OR opened < "limit")
"""

TICKET_LIVES = timedelta(hours=1)


def find(code: str) -> Share | None:
    """The share with this code, in whatever state."""
    if not SHAPE.fullmatch(code):
        return None
    wanted = digest(code)
    share = next(iter(read_rows(Share, "WHERE code_digest = %s", (wanted,))), None)
    if share is None or not hmac.compare_digest(share.code_digest, wanted):
        return None
    share.owner = read_rows(Person, "WHERE id = %s", (share.owner_id,))[0]
    return share


def password_fits(share: Share, password: str, address: str) -> bool:
    """Whether the password is right; a wrong one counts for the link and for the address. Raises `TooMany` without looking."""
    tries = throttle.count(f"share:{share.pk}", of_address(address))
    fits = check_password(password, share.password)
    if fits:
        throttle.forgive(tries)
    return fits


def take(share: Share) -> bool:
    """Count one download. False where the share has ended meanwhile or none is left; of many at once only so many get True."""
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    with connection.cursor() as cursor:
        cursor.execute(_TAKE, (now, share.pk, now))
        return bool(cursor.rowcount == 1)


def take_ticket(share: Share, bucket: str, key: str, address: str) -> str | None:
    """Count one download and return the ticket for it, good for this object and this client's address; None as `take`."""
    code, now = new_code(), timezone.now()
    Ticket.objects.filter(ends_at__lt=now).delete()
    with transaction.atomic():
        if not take(share):
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
    """The ticket, if it belongs to this share and client and has not ended."""
    wanted = digest(code, purpose="ticket")
    ticket = Ticket.objects.filter(share=share, digest=wanted, ends_at__gt=timezone.now()).first()
    return ticket if ticket is not None and hmac.compare_digest(ticket.address, of_address(address)) else None


def begun(ticket: Ticket) -> None:
    """Bytes of it went out: from now on the download counts for good."""
    if ticket.begun_at is None:
        Ticket.objects.filter(pk=ticket.pk).update(begun_at=timezone.now())


def give_back(ticket: Ticket) -> None:
    """Nothing came of a download that was counted; it may be taken again."""
    with transaction.atomic():
        if Ticket.objects.filter(pk=ticket.pk, begun_at__isnull=True).delete()[0]:
            Share.objects.filter(pk=ticket.share_id, opened__gt=0).update(opened=F("opened") - 1)


def missed(share: Share) -> None:
    """What the link leads to was not there. Kept for lists, until it is seen again."""
    Share.objects.filter(pk=share.pk).update(gone_at=timezone.now(), hidden_at=None)


def may_be_hidden(share: Share) -> bool:
    """Did another token of its owner read it last? Then the service may only hide it from the present one."""
    return share.gone_at is None and bool(share.reader) and share.reader != reader_of(share)


def refused(share: Share) -> None:
    """The owner's token can't read what the link leads to, or there is none."""
    Share.objects.filter(pk=share.pk).update(hidden_at=timezone.now())


def met(share: Share) -> None:
    """What the link leads to is there."""
    unknown = share.kind == Share.Kind.OBJECTS and not share.reader
    if share.gone_at is not None or share.hidden_at is not None or unknown:
        Share.objects.filter(pk=share.pk).update(gone_at=None, hidden_at=None, reader=reader_of(share))


def reader_of(share: Share) -> str:
    """The fingerprint of the token that opens the link now; "" for none."""
    stored = StoredToken.objects.filter(person=share.owner_id, kind=Kind.STORAGE, space=share.space)
    return stored.values_list("fingerprint", flat=True).first() or ""


def still_open(share: Share) -> bool:
    """Asks anew whether the share was ended, for bytes that are under way."""
    return Share.objects.filter(pk=share.pk, revoked_at__isnull=True, owner__is_active=True).exists()
