"""Lines of the ledger, ready to print, and as a spreadsheet."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from dashboard.catalog.keys import folder_of, name_of, printable
from dashboard.features.sharing.services import batch
from dashboard.features.sharing.services.addresses import address_of
from dashboard.links import ledger
from dashboard.links.ledger import Row, is_pointless
from dashboard.links.lifecycle import code_of
from dashboard.links.models import RawLink, Share
from dashboard.team.models import Person
from dashboard.web.spreadsheet import line
from dashboard.web.text import exact

COLUMNS = (
    *("id", "kind", "leads to", "place", "space", "person", "state", "opened", "limit", "last opened", "ends"),
    *("made", "ended", "ended by", "password", "note"),
)
RAW_COLUMNS = ("id", "objects", "first object", "bucket", "space", "person", "made", "works until")
SHOWN_KEYS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """`address` is the link itself, of one's own that still opens; `href` where one sees what it leads to."""

    row: Row
    address: str
    href: str
    pointless: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RawLine:
    """Presigned links that were handed out together. `keys` are the first of their objects.

    `kept` is the page of the sign desk where the person's own links are kept, "" where they are not.
    """

    name: str
    place: str
    href: str
    kept: str
    person: str
    count: str
    is_live: bool
    made_at: datetime
    ends_at: datetime
    keys: list[str]
    more: int


def lines(request: HttpRequest, person: Person, shares: Iterable[Share], public: Mapping[str, frozenset[str]]) -> list[Line]:
    found = list(shares)
    return [
        Line(
            row=row,
            address=_address(request, person, share, row),
            href=_href(share),
            pointless=is_pointless(share, public),
        )
        for share, row in zip(found, ledger.rows(person, found), strict=True)
    ]


def raw_lines(person: Person, found: Iterable[RawLink]) -> list[RawLine]:
    links, now = list(found), timezone.now()
    kept = batch.pages(person, links)
    return [
        RawLine(
            name=printable(name_of(link.keys[0])) if link.count == 1 and link.keys else f"{link.count:,} objects",
            place=f"{link.bucket}/{printable(link.keys[0])}" if link.count == 1 and link.keys else link.bucket,
            href=_browser(link.space, link.bucket, folder_of(link.keys[0]) if link.keys else ""),
            kept=kept.get(link.pk, ""),
            person=str(link.person),
            count=f"{link.count:,}",
            is_live=link.ends_at > now,
            made_at=link.made_at,
            ends_at=link.ends_at,
            keys=[printable(key) for key in link.keys[:SHOWN_KEYS]] if link.count > 1 else [],
            more=max(0, link.count - SHOWN_KEYS),
        )
        for link in links
    ]


def as_csv(person: Person, shares: Iterable[Share]) -> Iterator[str]:
    """Lines of a spreadsheet; the addresses are not in it."""
    yield line(COLUMNS)
    for share in shares:
        row = ledger.rows(person, [share])[0]
        yield line(
            (
                *(share.pk, share.get_kind_display(), row.name, row.place, share.space, row.owner, row.word),
                *(share.opened, share.limit, _moment(share.opened_at), exact(share.ends_at), exact(share.made_at)),
                *(_moment(share.revoked_at), share.revoked_by, "yes" if share.password else "no", share.note),
            )
        )


def raw_as_csv(links: Iterable[RawLink]) -> Iterator[str]:
    yield line(RAW_COLUMNS)
    for link in links:
        first = link.keys[0] if link.keys else ""
        made, ends = exact(link.made_at), exact(link.ends_at)
        yield line((link.pk, link.count, first, link.bucket, link.space, link.person, made, ends))


def _address(request: HttpRequest, person: Person, share: Share, row: Row) -> str:
    code = code_of(share) if row.is_live and share.owner_id == person.pk else ""
    return address_of(request, code) if code else ""


def _href(share: Share) -> str:
    if share.kind == Share.Kind.HOSTNAME:
        return reverse("hostname:index", args=(share.space,))
    targets = list(share.targets.all())
    if not targets:
        return ""
    key = targets[0].key
    return _browser(share.space, targets[0].bucket, key if targets[0].is_folder else folder_of(key))


def _browser(space: str, bucket: str, folder: str) -> str:
    address = reverse("objects:index", args=(space, bucket))
    return f"{address}?path={quote(folder, safe='')}" if folder else address


def _moment(moment: datetime | None) -> str:
    return exact(moment) if moment else ""
