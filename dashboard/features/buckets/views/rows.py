"""Spaces and buckets as lines that are ready to print."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from django.urls import reverse

from dashboard.catalog.queries import Known
from dashboard.features.buckets.rules.limits import in_words
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.tokens.spaces import Space
from dashboard.web.text import bytes_text, exact_bytes


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the list. `href` is empty where no address can carry its id; `as_of` is None where it was never read whole.
    `forget_href` is "" but for a bucket that was opened by name, of which the service tells nothing else.

    `so_far` are the objects that a first crawl has come by.
    """

    id: str
    name: str
    is_public: bool
    limits: str
    created: str
    created_at: str
    objects: str
    size: str
    exact_size: str
    newest: str
    newest_at: str
    as_of: datetime | None
    crawling: bool
    so_far: str
    links: int
    href: str
    edit_href: str
    delete_href: str
    crawl_href: str
    forget_href: str


@dataclass(frozen=True, slots=True)
class SpaceRow:
    """One storage address, ready to print."""

    title: str
    name: str
    has_token: bool
    href: str
    token_href: str


def space_rows(found: Sequence[Space], *, search: str = "") -> list[SpaceRow]:
    """Lines ready to print, of the spaces whose title or name contains the searched text, whatever its case."""
    wanted = search.casefold()
    token_form = reverse("account:token_new")
    return [
        SpaceRow(
            title=space.title,
            name=space.name,
            has_token=space.has_token,
            href=reverse("buckets:index", args=[space.name]),
            token_href=f"{token_form}?kind=storage&space={space.name}",
        )
        for space in found
        if wanted in space.title.casefold() or wanted in space.name
    ]


def rows_of(
    buckets: Sequence[Bucket],
    states: Mapping[str, Known],
    links: Mapping[str, int],
    space: str,
    *,
    named: Collection[str] = (),
) -> list[Row]:
    """Lines ready to print, in the order given; `links` are the live ones of each bucket, `named` those opened by name."""
    base = reverse("buckets:index", args=[space])
    crawl = reverse("search:crawl", args=[space, "-"]).removeprefix(f"{base}-/")
    return [
        _row(bucket, states.get(bucket.id), links.get(bucket.id, 0), base, crawl, is_named=bucket.id in named)
        for bucket in buckets
    ]


def _row(bucket: Bucket, state: Known | None, links: int, base: str, crawl: str, *, is_named: bool) -> Row:
    known = state if state and state.complete else None
    segment = quote(bucket.id, safe="")
    reachable = bucket.id not in ("", ".", "..") and "/" not in bucket.id
    created, created_at = _day(bucket.created_at)
    newest, newest_at = _day(known.newest if known else None)
    return Row(
        id=bucket.id,
        name=bucket.name,
        is_public=bool(bucket.public),
        limits=_limits(bucket),
        created=created,
        created_at=created_at,
        objects=f"{known.objects:,}" if known else "",
        size=bytes_text(known.bytes) if known else "",
        exact_size=exact_bytes(known.bytes) if known else "",
        newest=newest,
        newest_at=newest_at,
        as_of=known.as_of if known else None,
        crawling=bool(state and state.crawling),
        so_far=f"{state.seen:,} so far" if state and state.crawling and state.seen else "",
        links=links,
        href=f"{base}{segment}/" if reachable else "",
        edit_href=f"{base}~edit/{segment}/" if reachable else "",
        delete_href=f"{base}~delete/{segment}/" if reachable else "",
        crawl_href=f"{base}{segment}/{crawl}" if reachable else "",
        forget_href=f"{base}~forget/{segment}/" if reachable and is_named else "",
    )


def _limits(bucket: Bucket) -> str:
    size = "" if bucket.file_size_limit is None else f"up to {in_words(bucket.file_size_limit)}"
    return "; ".join(part for part in (size, ", ".join(bucket.allowed_mime_types or ())) if part)


def _day(moment: datetime | None) -> tuple[str, str]:
    return (f"{moment:%-d %b %Y}", moment.isoformat()) if moment else ("", "")
