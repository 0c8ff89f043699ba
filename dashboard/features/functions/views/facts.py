"""What the pages of a function show of it, ready to print."""

from dataclasses import dataclass

from django.urls import reverse

from dashboard.features.functions.models import Seen
from dashboard.features.functions.rules.bundles import Content
from dashboard.features.functions.rules.labels import Moment, State, is_open, moment_of, state_of, version_of, yes
from dashboard.features.functions.services.invocation import Snippet
from dashboard.interfaces.management.functions import Function
from dashboard.web.code import COLOURED_UP_TO, coloured

SHOWN_UP_TO = 1_000_000


@dataclass(frozen=True, slots=True)
class Facts:
    """A function."""

    id: str
    slug: str
    name: str
    state: State
    version: str
    is_protected: bool
    is_open: bool
    is_told: bool
    import_map: str
    entrypoint_path: str
    import_map_path: str
    created: Moment
    changed: Moment
    href: str


@dataclass(frozen=True, slots=True)
class Source:
    """A body to look at. `markup` is the text in colours, empty for a bundle; `cut` characters of it are not shown."""

    words: str
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
    """A kept version, as a line of the list."""

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
class Printed:
    """A snippet, in colours and as it is copied."""

    title: str
    text: str
    markup: str


def printed(snippet: Snippet) -> Printed:
    return Printed(title=snippet.title, text=snippet.text, markup=coloured(snippet.text, snippet.language))


def facts_of(function: Function, ref: str) -> Facts:
    return Facts(
        id=function.id,
        slug=function.slug,
        name=function.name,
        state=state_of(function),
        version=version_of(function.version),
        is_protected=function.checks_jwt,
        is_open=is_open(function),
        is_told=function.verify_jwt is not None,
        import_map=yes(function.import_map),
        entrypoint_path=function.entrypoint_path or "",
        import_map_path=function.import_map_path or "",
        created=moment_of(function.created_at, function.created),
        changed=moment_of(function.updated_at, function.updated),
        href=reverse("functions:show", args=[ref, function.slug]),
    )


def source_of(content: Content, slug: str) -> Source:
    text = content.text or ""
    shown = text[:SHOWN_UP_TO]
    return Source(
        words=content.words,
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
        verify_jwt=yes(seen.verify_jwt),
        is_protected=seen.verify_jwt is not False,
        import_map=yes(seen.import_map),
        sent=seen.sent,
        note=seen.note,
        row=seen,
        href=reverse("functions:version", args=[ref, slug, seen.pk]),
    )
