"""Functions, bodies and versions as templates show them."""

from dataclasses import dataclass

from django.urls import reverse

from dashboard.features.functions.models import Seen
from dashboard.features.functions.rules import (
    Content,
    Moment,
    Status,
    is_public,
    is_readable,
    moment_of,
    on_or_off,
    status_of,
    version_of,
)
from dashboard.features.functions.services.invocation import Snippet
from dashboard.interfaces.management.functions import Function
from dashboard.web.pages.code import COLOURED_UP_TO, coloured

SHOWN_MAX_CHARACTERS = 1_000_000


@dataclass(frozen=True, slots=True)
class Row:
    """What pages show of a function besides its record. `href` is empty for a slug that our addresses can't carry."""

    function: Function
    status: Status
    version: str
    is_public: bool
    import_map: str
    created: Moment
    changed: Moment
    href: str
    note: str


@dataclass(frozen=True, slots=True)
class Source:
    """A body to show. `markup` is the highlighted text, empty for a bundle; its last `cut` characters are left out."""

    description: str
    size: int
    digest: str
    filename: str
    is_text: bool
    markup: str
    plain: str
    is_plain: bool
    lines: int
    cut: int


@dataclass(frozen=True, slots=True)
class Version:
    """A kept version."""

    pk: int
    number: str
    is_live: bool
    digest: str
    size: int
    verify_jwt: str
    is_protected: bool
    import_map: str
    sent: bool
    note: str
    row: Seen
    href: str


@dataclass(frozen=True, slots=True)
class Highlighted:
    """A snippet, highlighted and as it is copied."""

    title: str
    text: str
    markup: str


def highlighted(snippet: Snippet) -> Highlighted:
    return Highlighted(title=snippet.title, text=snippet.text, markup=coloured(snippet.text, snippet.language))


def row_of(function: Function, ref: str, note: str = "") -> Row:
    return Row(
        function=function,
        status=status_of(function),
        version=version_of(function.version),
        is_public=is_public(function),
        import_map=on_or_off(function.import_map),
        created=moment_of(function.created_at, function.created),
        changed=moment_of(function.updated_at, function.updated),
        href=reverse("functions:show", args=[ref, function.slug]) if is_readable(function.slug) else "",
        note=note,
    )


def source_of(content: Content, slug: str) -> Source:
    text = content.text or ""
    shown = text[:SHOWN_MAX_CHARACTERS]
    return Source(
        description=content.description,
        size=content.size,
        digest=content.digest,
        filename=content.filename(slug),
        is_text=content.text is not None,
        markup=coloured(shown),
        plain=shown,
        is_plain=len(shown) > COLOURED_UP_TO,
        lines=text.count("\n") + bool(text and not text.endswith("\n")),
        cut=len(text) - len(shown),
    )


def version_row(seen: Seen, ref: str, live: Function | None) -> Version:
    slug = seen.body.slug
    return Version(
        pk=seen.pk,
        number=version_of(seen.version),
        is_live=live is not None and (live.id, live.version) == (seen.function, seen.version),
        digest=seen.body.digest,
        size=seen.body.size,
        verify_jwt=on_or_off(seen.verify_jwt),
        is_protected=seen.verify_jwt is not False,
        import_map=on_or_off(seen.import_map),
        sent=seen.sent,
        note=seen.note,
        row=seen,
        href=reverse("functions:version", args=[ref, slug, seen.pk]),
    )
