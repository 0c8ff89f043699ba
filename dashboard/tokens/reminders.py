"""Notify people of tokens that the service refused, or that are about to expire."""

from datetime import datetime, timedelta
from functools import partial

from django.db.models import F, Q
from django.utils import timezone

from dashboard.notifications import outbox
from dashboard.tokens import spaces
from dashboard.tokens.models import StoredToken
from dashboard.web.pages.navigation import named_page

REFUSED, EXPIRES = "token refused", "token expires"
REFUSED_WITHIN = timedelta(days=1)
SOON = timedelta(days=7)
MOST_REMINDED = 500


def remind() -> None:
    now = timezone.now()
    tokens = StoredToken.objects.filter(person__is_active=True).select_related("person")
    since_used = Q(last_used_at=None) | Q(refused_at__gt=F("last_used_at"))
    refused = tokens.filter(since_used, refused_at__gt=now - REFUSED_WITHIN).order_by("refused_at")[:MOST_REMINDED]
    _tell(REFUSED, {f"{token.pk} {token.last_used_at}": token for token in refused}, "was refused")
    ends = {token: datetime.fromisoformat(token.reach["ends"]) for token in tokens.filter(reach__has_key="ends")}
    by_end = sorted(ends.items(), key=lambda pair: pair[1])
    soon = {f"{token.pk} {end.isoformat()}": token for token, end in by_end if now < end < now + SOON}
    _tell(EXPIRES, soon, "expires within a week")


def _tell(kind: str, found: dict[str, StoredToken], what: str) -> None:
    for key in outbox.untold(kind, found):
        token = found[key]
        name = spaces.token_name(token.kind, token.space, token.reach.get("project", ""))
        tell = partial(outbox.notify, kind, address=named_page("tokens"), key=key, place=token.space)
        # Channels first: the first title of an event goes to them, and must name the owner.
        tell([], title=f"{token.person}'s {name} {what}")
        tell([token.person], title=f"Your {name} {what}")
