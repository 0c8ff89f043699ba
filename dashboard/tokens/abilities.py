"""What each storage token can do in each bucket, learned from the answers to its calls.

A success proves that it can, a refusal of that very act that it can't. Nothing else proves anything: a token that may not look
also gets an empty list or "not found". Rows belong to the token and are deleted with it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from dashboard.interfaces.exchange import Exchange
from dashboard.interfaces.operations import OPERATIONS
from dashboard.tokens.formats import SERVICE_ROLE
from dashboard.tokens.models import Ability, StoredToken

DONE, REFUSED = "done", "NotAllowed"
KEPT_FOR = timedelta(days=30)
WRITE_EVERY = timedelta(days=1)
BUCKET_MAX_LENGTH = 255


@dataclass(frozen=True, slots=True)
class Abilities:
    """What a token can do in one bucket: True, False (refused), or None where neither is proven."""

    list: bool | None = None
    read: bool | None = None
    insert: bool | None = None
    update: bool | None = None
    delete: bool | None = None


def load(fingerprint: str, space: str, bucket: str) -> Abilities:
    """Return what was learned about a bucket within 30 days."""
    rows = Ability.objects.filter(fingerprint=fingerprint, space=space, bucket=bucket, seen_at__gt=timezone.now() - KEPT_FOR)
    return Abilities(**{row.act: row.is_allowed for row in rows})


def learn(token: StoredToken, exchanges: Iterable[Exchange]) -> None:
    """Save what these answers prove; the last one of each act counts. Skips service keys, as no policy restricts them."""
    if token.reach.get("role") == SERVICE_ROLE:
        return
    proven: dict[tuple[str, str], bool] = {}
    for exchange in exchanges:
        act, proof = OPERATIONS[exchange.operation].right.proves, _proof(exchange)
        if act and proof is not None and 0 < len(exchange.bucket) <= BUCKET_MAX_LENGTH:
            proven[exchange.bucket, act] = proof
    if not proven:
        return
    now = timezone.now()
    mine = Ability.objects.filter(fingerprint=token.fingerprint, space=token.space, bucket__in={bucket for bucket, _ in proven})
    recent = mine.filter(seen_at__gt=now - WRITE_EVERY)
    known = {(row.bucket, row.act): row.is_allowed for row in recent}
    changed = [
        Ability(fingerprint=token.fingerprint, space=token.space, bucket=bucket, act=act, is_allowed=is_allowed, seen_at=now)
        for (bucket, act), is_allowed in sorted(proven.items())
        if known.get((bucket, act)) != is_allowed
    ]
    if changed:
        Ability.objects.bulk_create(
            changed,
            update_conflicts=True,
            unique_fields=("fingerprint", "space", "bucket", "act"),
            update_fields=("is_allowed", "seen_at"),
        )
        Ability.objects.filter(seen_at__lt=now - KEPT_FOR).delete()


def forget(fingerprint: str) -> None:
    """Delete everything learned about a token."""
    Ability.objects.filter(fingerprint=fingerprint).delete()


def _proof(exchange: Exchange) -> bool | None:
    if exchange.outcome == REFUSED and exchange.status is not None:
        return False
    if exchange.outcome != DONE or (OPERATIONS[exchange.operation].right.by_rows and not exchange.rows):
        return None
    return True
