"""Signed links as a text to paste or a file to save. Whoever has it can read the objects, so nothing keeps a copy."""

from collections.abc import Iterator
from itertools import chain

from django.http import Http404, HttpResponse, HttpResponseBase
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from dashboard.catalog.link_export import Lines, as_csv, as_html, as_json, as_lines, as_markdown, as_script
from dashboard.features.sharing.models import LinkSet
from dashboard.features.sharing.services import batch
from dashboard.features.sharing.views.batch_texts import COPIED, KINDS
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.vault.seals import CannotOpen
from dashboard.web.answers import dialog
from dashboard.web.downloads import attach
from dashboard.web.requests import path_of

FORMS: dict[str, tuple[Lines, str, str]] = {
    "lines": (as_lines, "txt", "text/plain; charset=utf-8"),
    "markdown": (as_markdown, "md", "text/markdown; charset=utf-8"),
    "html": (as_html, "html", "text/html; charset=utf-8"),
    "csv": (as_csv, "csv", "text/csv; charset=utf-8"),
    "json": (as_json, "json", "application/json"),
    "script": (as_script, "sh", "text/x-shellscript; charset=utf-8"),
}


@require_safe
@with_workspace
def output(request: WorkspaceRequest, space: str, bucket: str, set_id: int, kind: str) -> HttpResponseBase:
    """A file, opened batch by batch while it is sent; with `show`, the text itself to be copied. Asks the service nothing."""
    links = batch.own(request.workspace, space, bucket, set_id)
    base = request.workspace.storage_public_url(space)
    if kind not in FORMS or base is None or not links.signed or links.ends_at is None:
        raise Http404("There is no such list.")
    try:
        text = _text(links, kind, base)
        first = next(text, "")
    except CannotOpen:
        return _damaged(request, links)
    if "show" in request.GET and links.signed <= COPIED:
        return _shown(request, links, kind, first + "".join(text))
    ending = FORMS[kind][1]
    blocks = (part.encode() for part in chain((first,), text))
    return attach(blocks, filename=f"{slugify(bucket)[:60] or 'bucket'}-links-{links.pk}.{ending}", kind=FORMS[kind][2])


def _text(links: LinkSet, kind: str, base: str) -> Iterator[str]:
    lines = FORMS[kind][0]
    linked = batch.linked(links, base)
    if links.ends_at is None:
        raise ValueError("nothing is signed")
    return lines(linked, links.bucket, links.ends_at)


def _shown(request: WorkspaceRequest, links: LinkSet, kind: str, text: str) -> HttpResponse:
    label = KINDS[kind][0]
    context = {
        "title": f"{label}: {links.signed:,} link{'' if links.signed == 1 else 's'}",
        "label": label,
        "text": text,
        "file": path_of(request),
        "ends_at": links.ends_at,
        "back": batch.page_of(links),
        "wide": True,
    }
    return dialog(request, "sharing/desk_text.html", context)


def _damaged(request: WorkspaceRequest, links: LinkSet) -> HttpResponse:
    """The keys of the vault have changed: what was sealed is lost to us."""
    context = {"title": "The links can't be opened any more", "back": batch.page_of(links)}
    return dialog(request, "sharing/desk_damaged.html", context, status=410)
