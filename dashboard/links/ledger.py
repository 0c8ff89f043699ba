"""Which links stand in the ledger: filtered, searched, sorted. Nothing here asks the service."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TypeVar

from django.db.models import Exists, F, Model, OuterRef, Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.utils import timezone

from dashboard.links.models import RawLink, Share, Shares, State, Target
from dashboard.links.rows import visible
from dashboard.team.models import Person

SOON, UNOPENED, POINTLESS, PAGES = "soon", "unopened", "pointless", "instructions"
WEEK = timedelta(days=7)
MOST_PLACES = 300
SORTS = {"ends": "ends_at", "opened": "opened", "last": "opened_at"}
RAW_SORTS = {"ends": "ends_at", "made": "made_at", "count": "count"}

M = TypeVar("M", bound=Model)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What to look for; empty members do not filter. `place` is space and bucket with a slash between, `view` one of the above.

    `public`: the buckets by space that are known to be public, for the view of pointless links.
    """

    q: str = ""
    state: str = ""
    view: str = ""
    person: str = ""
    place: str = ""
    public: Mapping[str, frozenset[str]] = field(default_factory=dict)


def shares(person: Person, wanted: Wanted) -> Shares:
    """What the person may see of it, newest first."""
    found = visible(person)
    if wanted.state:
        found = found.in_state(wanted.state)
    if wanted.person:
        found = found.filter(owner_id=int(wanted.person))
    if wanted.place:
        space, _, bucket = wanted.place.partition("/")
        found = found.filter(_leads_to(Q(bucket=bucket)), space=space)
    for word in wanted.q.split():
        named = Q(note__icontains=word) | Q(owner__name__icontains=word) | Q(owner__email__icontains=word)
        found = found.filter(named | Q(space=word) | Q(_leads_to(Q(key__icontains=word) | Q(bucket__icontains=word))))
    return _view(found, wanted)


def raw(person: Person, wanted: Wanted) -> QuerySet[RawLink]:
    """Raw presigned links that were handed out; "live" and "expired" are their only states."""
    found = visible_raw(person)
    if wanted.state:
        now = timezone.now()
        found = found.filter(ends_at__gt=now) if wanted.state == State.LIVE else found.filter(ends_at__lte=now)
    if wanted.person:
        found = found.filter(person_id=int(wanted.person))
    if wanted.place:
        space, _, bucket = wanted.place.partition("/")
        found = found.filter(space=space, bucket=bucket)
    for word in wanted.q.split():
        named = Q(person__name__icontains=word) | Q(person__email__icontains=word) | Q(space=word)
        # Databases keep JSON with other letters as they are, or escaped.
        listed = Q(names__icontains=word) | Q(names__icontains=json.dumps(word)[1:-1])
        found = found.annotate(names=Cast("keys", TextField())).filter(named | listed | Q(bucket__icontains=word))
    return found


def visible_raw(person: Person) -> QuerySet[RawLink]:
    found = RawLink.objects.select_related("person")
    return found if person.is_owner else found.filter(person=person)


def arranged(found: QuerySet[M], sort: str) -> QuerySet[M]:
    """In the order of a column ("-" before it: descending); anything else leaves the newest first."""
    columns = SORTS if found.model is Share else RAW_SORTS
    column = columns.get(sort.removeprefix("-"))
    if column is None:
        return found
    order = F(column).desc(nulls_last=True) if sort.startswith("-") else F(column).asc(nulls_last=True)
    return found.order_by(order, "-pk")


def people(person: Person, *, raw_links: bool = False) -> list[tuple[str, str]]:
    """Who made links, as pairs of id and name."""
    if raw_links:
        found = set(visible_raw(person).order_by().values_list("person_id", "person__name", "person__email").distinct())
    else:
        found = set(visible(person).order_by().values_list("owner_id", "owner__name", "owner__email").distinct())
    return sorted(((str(pk), name or email) for pk, name, email in found), key=lambda pair: pair[1].casefold())


def places(person: Person, *, raw_links: bool = False) -> list[tuple[str, str]]:
    """Where links lead, as pairs of what `Wanted.place` takes and words; the space is said where there are several."""
    if raw_links:
        pairs = set(visible_raw(person).order_by().values_list("space", "bucket").distinct()[:MOST_PLACES])
    else:
        targets = Target.objects.filter(share__in=visible(person).filter(kind=Share.Kind.OBJECTS)).order_by()
        pairs = set(targets.values_list("share__space", "bucket").distinct()[:MOST_PLACES])
    several = len({space for space, _ in pairs}) > 1
    return [(f"{space}/{bucket}", f"{bucket} ({space})" if several else bucket) for space, bucket in sorted(pairs)]


def spaces(person: Person) -> list[str]:
    """The spaces that live links lead into, those with the most recent links first."""
    found = visible(person).live().filter(kind=Share.Kind.OBJECTS).order_by("-pk").values_list("space", flat=True)
    return list(dict.fromkeys(found[:5000]))


def is_pointless(share: Share, public: Mapping[str, frozenset[str]]) -> bool:
    """Whether everybody can read what a live link leads to without it, as far as is known."""
    known = public.get(share.space, frozenset())
    return bool(known) and share.state is State.LIVE and any(target.bucket in known for target in share.targets.all())


def _view(found: Shares, wanted: Wanted) -> Shares:
    if wanted.view == SOON:
        return found.live().filter(owner__is_active=True, ends_at__lte=timezone.now() + WEEK)
    if wanted.view == UNOPENED:
        return found.live().filter(owner__is_active=True, opened_at__isnull=True, opened=0)
    if wanted.view == PAGES:
        return found.exclude(kind=Share.Kind.OBJECTS)
    if wanted.view == POINTLESS:
        public = Q(pk__in=[])
        for space, buckets in wanted.public.items():
            public |= Q(_leads_to(Q(bucket__in=buckets)), space=space)
        return found.live().filter(public, kind=Share.Kind.OBJECTS)
    return found


def _leads_to(place: Q) -> Exists:
    return Exists(Target.objects.filter(place, share=OuterRef("pk")))


def chosen(person: Person, ids: Sequence[str]) -> Shares:
    """Links by id, as far as the person may see them."""
    return visible(person).filter(pk__in=[int(one) for one in ids if one.isdecimal() and len(one) < 19])
