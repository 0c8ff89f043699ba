"""The link ledger: filter, search and sort share links and signed links, and describe them for lists. Calls no service."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TypeVar

from django.db.models import Count, Exists, F, Model, OuterRef, Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.utils import timezone

from dashboard.links.codes import place_digest
from dashboard.links.models import CodedLink, RawLink, Share, Shares, Target
from dashboard.links.states import State
from dashboard.team.models import Person
from dashboard.tokens.workspace import Workspace
from dashboard.web.http.requests import read_number
from dashboard.web.pages.sort_order import Sort

SOON, UNOPENED, POINTLESS, PAGES = "soon", "unopened", "pointless", "instructions"
MOST_PLACES = 300
SORTS = {"ends": "ends_at", "opened": "opened", "last": "opened_at"}
RAW_SORTS = {"ends": "ends_at", "made": "made_at", "count": "count"}
NEWEST_FIRST = Sort("")

M = TypeVar("M", bound=Model)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A filter of the ledger; empty members match everything. `place` is "space/bucket", `view` one of the constants above.

    `public`: known public buckets by space, for the view of pointless links.
    """

    q: str = ""
    state: str = ""
    view: str = ""
    person: str = ""
    place: str = ""
    public: Mapping[str, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A share link in a list: its record and derived values.

    `word` is the state, with who revoked it; `gone_at` is when the file was found missing, or unreadable with the owner's token.
    `private_note` is that of the person's own link.
    """

    share: Share
    name: str
    place: str
    is_mine: bool
    state: State
    word: str
    gone_at: datetime | None
    opened: str
    can_restore: bool
    private_note: str

    @property
    def is_current(self) -> bool:
        """Whether the link can be revoked."""
        return self.state not in Share.OVER


def visible(person: Person) -> Shares:
    return Share.objects.visible_to(person).prefetch_related("targets")


def expires_soon(now: datetime) -> Q:
    """Match links on their last day, of those that have not ended. A link made for less than two days never expires soon."""
    return Q(made_at__lt=F("ends_at") - timedelta(days=2), ends_at__lte=now + timedelta(days=1))


def returning(by: Person, person: Person) -> list[str]:
    """Describe for `by` which links open again when they reactivate `person`."""
    current = list(Share.objects.current().filter(owner=person).values_list("pk", flat=True))
    count = "1 share link opens" if len(current) == 1 else f"{len(current):,} share links open"
    return [f"{count} again: {', '.join(named(by, current))}."] if current else []


def chosen(person: Person, ids: Sequence[str]) -> Shares:
    """Return links by id, if the person may see them."""
    return visible(person).filter(pk__in=filter(None, map(read_number, ids)))


def shares(person: Person, wanted: Wanted) -> Shares:
    """Return the matching share links that this person may see, newest first."""
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
        named |= Q(private_note__icontains=word, owner=person)
        found = found.filter(named | Q(space=word) | Q(_leads_to(Q(key__icontains=word) | Q(bucket__icontains=word))))
    return _view(found, wanted)


def raw(person: Person, wanted: Wanted) -> QuerySet[RawLink]:
    """Return the matching signed links that were handed out. Their only states are "live" and "expired"."""
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
        # Some databases escape non-ASCII letters in JSON, others don't.
        listed = Q(names__icontains=word) | Q(names__icontains=json.dumps(word)[1:-1])
        found = found.annotate(names=Cast("keys", TextField())).filter(named | listed | Q(bucket__icontains=word))
    return found


def visible_raw(person: Person) -> QuerySet[RawLink]:
    found = RawLink.objects.select_related("person")
    return found if person.is_owner else found.filter(person=person)


def arranged(found: QuerySet[M], sort: Sort) -> QuerySet[M]:
    """Sort by a column of `SORTS` or `RAW_SORTS`, or leave the newest first."""
    if sort == NEWEST_FIRST:
        return found
    column = F((SORTS if found.model is Share else RAW_SORTS)[sort.column])
    return found.order_by(column.desc(nulls_last=True) if sort.descending else column.asc(nulls_last=True), "-pk")


def people(person: Person, *, raw_links: bool = False) -> list[tuple[str, str]]:
    """Return the people who created links, as pairs of id and name."""
    if raw_links:
        found = set(visible_raw(person).order_by().values_list("person_id", "person__name", "person__email").distinct())
    else:
        found = set(visible(person).order_by().values_list("owner_id", "owner__name", "owner__email").distinct())
    return sorted(((str(pk), name or email) for pk, name, email in found), key=lambda pair: pair[1].casefold())


def places(person: Person, *, raw_links: bool = False) -> list[tuple[str, str]]:
    """Return the buckets that links lead to, as pairs of `Wanted.place` and label."""
    if raw_links:
        pairs = set(visible_raw(person).order_by().values_list("space", "bucket").distinct()[:MOST_PLACES])
    else:
        targets = Target.objects.filter(share__in=visible(person).filter(kind=Share.Kind.OBJECTS)).order_by()
        pairs = set(targets.values_list("share__space", "bucket").distinct()[:MOST_PLACES])
    several = len({space for space, _ in pairs}) > 1
    return [(f"{space}/{bucket}", f"{bucket} ({space})" if several else bucket) for space, bucket in sorted(pairs)]


def spaces(person: Person) -> list[str]:
    """Return the spaces that active links lead to, those with the most recent links first."""
    found = visible(person).current().filter(kind=Share.Kind.OBJECTS).order_by("-pk").values_list("space", flat=True)
    return list(dict.fromkeys(found[:5000]))


def is_pointless(share: Share, public: Mapping[str, frozenset[str]]) -> bool:
    """Whether a current link leads into a public bucket, so that it protects nothing."""
    known = public.get(share.space, frozenset())
    return bool(known) and share.is_current and any(target.bucket in known for target in share.targets.all())


def rows(person: Person, shares: Iterable[Share]) -> list[Row]:
    return [_row(person, share) for share in shares]


def of_object(workspace: Workspace, space: str, bucket: str, key: str) -> list[Row]:
    """Return the active links to one object that this person may see: to it alone, to a set with it, or to a parent folder."""
    parts = key.split("/")
    folders = ["", *("/".join(parts[:depth]) + "/" for depth in range(1, len(parts)))]
    above = Q(is_folder=True, digest__in=[place_digest(bucket, folder) for folder in folders])
    here = Target.objects.filter(Q(digest=place_digest(bucket, key)) | above, bucket=bucket)
    found = visible(workspace.person).current().filter(kind=Share.Kind.OBJECTS, space=space, targets__in=here).distinct()
    return rows(workspace.person, found.order_by("ends_at"))


def of_page(person: Person, kind: str, place: str, name: str) -> list[Row]:
    """Return the active links to a page about `name` of a project that this person may see."""
    about = Target.objects.filter(digest=place_digest("", name), bucket="")
    found = visible(person).current().filter(kind=kind, space=place, targets__in=about)
    return rows(person, found.order_by("ends_at"))


def named(person: Person, ids: Iterable[int], *, most: int = 3) -> list[str]:
    """Name links for a warning: some of those that the person may see, and the number of the rest."""
    wanted = sorted(ids)
    found = list(visible(person).filter(pk__in=wanted[-500:]).order_by("-opened", "-pk")[:most])
    words = [f"“{share.note[:60] or name_of(share)}” of {share.owner}, {end_in_words(share)}" for share in found]
    left = len(wanted) - len(found)
    return [*words, *([f"{left:,} more"] if left and words else [])]


def counts(space: str, buckets: Sequence[str], *, person: Person | None = None) -> dict[str, int]:
    """Count the active links per bucket, of those that `person` may see. Without one all, since a deletion breaks all."""
    links = Share.objects.visible_to(person) if person else Share.objects.all()
    current = Target.objects.filter(share__in=links.current().filter(space=space), bucket__in=buckets)
    found = dict(current.order_by().values_list("bucket").annotate(number=Count("share", distinct=True)))
    return {bucket: found.get(bucket, 0) for bucket in buckets}


def name_of(share: Share) -> str:
    """Describe what a link leads to: a name, or a number of objects."""
    targets = list(share.targets.all())
    if len(targets) == 1:
        key = targets[0].key
        return key.rstrip("/").rpartition("/")[2] + "/" * targets[0].is_folder if key else targets[0].bucket
    folders = sum(target.is_folder for target in targets)
    parts = [(len(targets) - folders, "object"), (folders, "folder")]
    return " and ".join(f"{count:,} {word}{'' if count == 1 else 's'}" for count, word in parts if count)


def opened_text(share: Share) -> str:
    """Return how often it was opened: "2 of 5", "14"."""
    if share.limit is not None:
        return f"{share.opened:,} of {share.limit:,}"
    return f"{share.opened:,}"


def end_in_words(link: CodedLink) -> str:
    return f"expires {link.expires_at.day} {link.expires_at:%b %Y}" if link.expires_at else "without an end"


def _row(person: Person, share: Share) -> Row:
    state = share.state
    targets = list(share.targets.all())
    return Row(
        share=share,
        name=name_of(share),
        place=_place(share, targets),
        is_mine=share.owner_id == person.pk,
        state=state,
        word=share.word_of(state),
        gone_at={State.GONE: share.gone_at, State.HIDDEN: share.hidden_at}.get(state),
        opened=opened_text(share),
        can_restore=share.can_be_restored_by(person),
        private_note=share.private_note if share.owner_id == person.pk else "",
    )


def _place(share: Share, targets: Sequence[Target]) -> str:
    if share.kind != Share.Kind.OBJECTS:
        return share.get_kind_display()
    return f"{targets[0].bucket}/{targets[0].key}" if len(targets) == 1 else share.bucket


def _view(found: Shares, wanted: Wanted) -> Shares:
    if wanted.view == SOON:
        return found.current().filter(expires_soon(timezone.now()), owner__is_active=True)
    if wanted.view == UNOPENED:
        return found.current().filter(owner__is_active=True, opened_at__isnull=True, opened=0)
    if wanted.view == PAGES:
        return found.exclude(kind=Share.Kind.OBJECTS)
    if wanted.view == POINTLESS:
        public = Q(pk__in=[])
        for space, buckets in wanted.public.items():
            public |= Q(_leads_to(Q(bucket__in=buckets)), space=space)
        return found.current().filter(public, kind=Share.Kind.OBJECTS)
    return found


def _leads_to(place: Q) -> Exists:
    return Exists(Target.objects.filter(place, share=OuterRef("pk")))
