"""Links of every kind that a grant keeps open: share links and file requests. Calls no service."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from django.db.models import prefetch_related_objects

from dashboard.links import ledger
from dashboard.links.models import CodedLink, Share
from dashboard.team.models import Person
from dashboard.tokens.models import Grant
from dashboard.tokens.scope import Scope
from dashboard.web.text import counted

MOST_NAMED = 20


def links_through(grants: Iterable[int]) -> list[CodedLink]:
    """Return the current links through these grants, share links first."""
    wanted = list(grants)
    return [link for model in CodedLink.__subclasses__() for link in model.objects.current().filter(grant__in=wanted)]


def counts(grants: Iterable[int]) -> Counter[int]:
    """Count the current links through each of these grants."""
    wanted = list(grants)
    current = [model.objects.current().filter(grant__in=wanted) for model in CodedLink.__subclasses__()]
    return Counter(grant for links in current for grant in links.values_list("grant_id", flat=True))


def lost(grant: Grant, scope: Scope, ends_at: datetime | None) -> list[CodedLink]:
    """Return the current links through a grant that other terms close earlier, or take files from."""
    links = links_through([grant.pk])
    prefetch_related_objects([link for link in links if isinstance(link, Share)], "targets")
    return [link for link in links if _closes_earlier(link, grant, ends_at) or link.shown_in(grant.scope) - link.shown_in(scope)]


def in_words(links: Iterable[CodedLink]) -> str:
    """Return their number by kind: "2 active share links and 1 file request"; "" for none."""
    return " and ".join(counted(number, one) for one, number in Counter(link.ONE for link in links).items())


def named(person: Person, links: Sequence[CodedLink]) -> list[str]:
    """Name those of the links that the person may see, and say how many more share links there are."""
    names = ledger.named(person, [link.pk for link in links if isinstance(link, Share)], most=MOST_NAMED)
    for model in CodedLink.__subclasses__():
        ids = [link.pk for link in links if isinstance(link, model) and model is not Share]
        found = model.objects.visible_to(person).filter(pk__in=ids)[:MOST_NAMED] if ids else ()
        names += [f"“{link}” of {link.owner}, {ledger.end_in_words(link)}" for link in found]
    return names


def _closes_earlier(link: CodedLink, grant: Grant, ends_at: datetime | None) -> bool:
    """The form shows ends to the minute, so an end that stays may lose its seconds."""
    until = min(link.ends_at, grant.ends_at) if grant.ends_at else link.ends_at
    return ends_at is not None and ends_at <= until - timedelta(minutes=1)
