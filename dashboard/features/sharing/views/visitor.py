"""What anyone with a share link sees: its page, the file itself, and lists with thumbnails."""

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from urllib.parse import urlencode

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_http_methods, require_safe

from dashboard.catalog.keys import printable
from dashboard.catalog.lookup import source_of
from dashboard.catalog.types import mark_of, type_text
from dashboard.features.sharing import rules
from dashboard.features.sharing.rules import require_objects, require_open
from dashboard.features.sharing.services import cache, visitor
from dashboard.features.sharing.services.visitor import File, located, noting_whether_found, single_of
from dashboard.features.sharing.views.downloads import RevocableStream, by_code, new_ticket, require_ticket, send
from dashboard.interfaces import errors
from dashboard.interfaces.errors import NotFound
from dashboard.interfaces.storage.records import ObjectInfo
from dashboard.links import access, end_states
from dashboard.links.end_states import LinkClosed
from dashboard.links.guard import ask_password, draw, ends_of, is_crawler, is_locked
from dashboard.links.ledger import name_of
from dashboard.links.models import Share, Ticket
from dashboard.links.openings import visit_of
from dashboard.links.pages import SharedPage, page_of
from dashboard.tokens.actor import acting_as
from dashboard.tokens.models import Kind as TokenKind
from dashboard.tokens.workspace import Workspace
from dashboard.viewer import responses, thumbnails
from dashboard.viewer.content import Content, Source, read_content
from dashboard.viewer.looks import Kind, look_of
from dashboard.web.files.downloads import redirect
from dashboard.web.http.requests import read_number
from dashboard.web.pages.brand import of_team
from dashboard.web.text import bytes_text

# Larger files are read and drawn at each opening: coloured text takes up to ten times its size, and a thousand answers are kept.
MOST_REUSED = 16 * 1024
DRAWN_PAGES = 64


@dataclass(frozen=True, slots=True)
class Asked:
    """The object that a request names: by its number and key, or by the ticket of a counted opening."""

    bucket: str
    key: str
    query: dict[str, str]
    ticket: Ticket | None = None


@require_http_methods(["GET", "HEAD", "POST"])
@by_code
def show(request: HttpRequest, share: Share, code: str) -> HttpResponseBase:
    """The page (S19 or S13), or the file at once where the owner chose that. Nothing is read before the right password."""
    require_open(share)
    if is_locked(request, share):
        return ask_password(request, share)
    if shared := page_of(share.kind):
        return _page(request, share, shared)
    single = single_of(share)
    if single is None:
        return _list(share, code)
    if not share.landing and not share.password and not is_crawler(request):
        return send(request, share, code, single.bucket, single.key)
    return _file(request, share, code, Asked(single.bucket, single.key, {}))


@require_safe
@by_code
def view(request: HttpRequest, share: Share, code: str) -> HttpResponseBase:
    """The page of one file of several, or of a limited link, where it counts first."""
    require_objects(share)
    asked = _asked(request, share)
    if is_locked(request, share) or (is_crawler(request) and not asked.ticket):
        return redirect(reverse("sharing:show", args=(code,)))
    if share.limit is None or asked.ticket:
        return _file(request, share, code, asked)
    if request.method == "HEAD":
        return HttpResponse()
    ticket = new_ticket(request, share, asked.bucket, asked.key)
    return redirect(f"{request.path}?{urlencode({'ticket': ticket})}")


@require_safe
@by_code
def media(request: HttpRequest, share: Share, code: str) -> HttpResponseBase:
    """S18: a picture, sound or video, in ranges. It stops when the link is revoked."""

    def respond(source: Source) -> HttpResponseBase:
        response = responses.media(request, source, wrap=lambda found: RevocableStream(found, share))
        response["Content-Disposition"] = content_disposition_header(False, visitor.file_name(share, source.key)) or "inline"
        return response

    return _part(request, share, code, respond)


@require_safe
@by_code
def document(request: HttpRequest, share: Share, code: str) -> HttpResponseBase:
    """S19, and S18 unless this process has it: a page of a PDF."""
    return _part(request, share, code, lambda source: responses.document_page(source, request.GET.get("number", "")))


@require_safe
@by_code
def thumbnail(request: HttpRequest, share: Share, _code: str) -> HttpResponseBase:
    """S18: a small picture for the list, by an address that is signed for this link. Limited links have none."""
    require_objects(share)
    require_open(share)
    if is_locked(request, share) or share.limit is not None:
        raise LinkClosed(rules.FILE_MISSING)
    bucket, _key = located(share, read_number(request.GET.get("n", "")), request.GET.get("key", ""))
    with _found(), acting_as(share.owner, share.grants) as workspace:
        scope = _scope(workspace, share, bucket)
        return thumbnails.respond(request, scope, lambda key: source_of(workspace, share.space, bucket, key))


def _page(request: HttpRequest, share: Share, shared: SharedPage) -> HttpResponse:
    """The page that a feature registered for this kind of link. GET counts as opened; HEAD and crawlers do not."""
    try:
        with acting_as(share.owner, share.grants) as workspace:
            found = shared.read(workspace, share)
    except NotFound:
        found = None
    except (errors.TokenRefused, errors.NotAllowed):
        raise
    except errors.InterfaceError as error:
        raise LinkClosed(rules.status_down(round(error.retry_after) if error.retry_after else None)) from error
    if found is None:
        access.missed(share)
        raise LinkClosed(rules.INSTRUCTIONS_MISSING)
    access.met(share)
    if request.method == "GET" and not is_crawler(request):
        access.take(share, visit_of(request, downloaded=False))
    return draw(shared.template, {"share": share, **_facts(share), **found})


def _list(share: Share, code: str) -> HttpResponse:
    """S13: the files, each with its page, its download and, where it has one, its thumbnail."""
    with noting_whether_found(share, single=False), acting_as(share.owner, share.grants) as workspace:
        found = visitor.read_all(workspace.storage(share.space), share, name_of(share))
        rows = [_row(workspace, share, code, file) for file in found.files]
    archive = reverse("sharing:all", args=(code,)) if found.can_be_packed and not share.hides_download else ""
    return draw("sharing/files.html", {**_facts(share), "share": share, "found": found, "rows": rows, "archive": archive})


def _file(request: HttpRequest, share: Share, code: str, asked: Asked) -> HttpResponse:
    """S19, and S18 of what the page itself shows. Showing the file counts as an opening; a crawler sees its name only."""
    shows = request.method == "GET" and not is_crawler(request) and (share.limit is None or asked.ticket is not None)
    single = single_of(share) is not None
    name = visitor.file_name(share, asked.key)
    with noting_whether_found(share, single=single), acting_as(share.owner, share.grants) as workspace:
        info = cache.ask(
            workspace,
            share,
            ("facts", asked.bucket, asked.key),
            life=settings.SHARE_LINK_SECONDS,
            question=lambda: workspace.storage(share.space).objects.info(asked.bucket, asked.key),
        )
        is_small = info.size is not None and info.size <= MOST_REUSED
        content = _content(workspace, share, asked, info, reused=is_small) if shows else None
        redirected = share.limit is None and workspace.redirect_url(share.space) is not None
        steps = _steps(workspace, share, code, asked) if shows and not single and share.limit is None else {}
    if content is not None and not content.nothing:
        _count(request, share, asked)
    query = urlencode(asked.query)
    shown: dict[str, Hashable] = {
        **_facts(share),
        **steps,
        "brand": of_team(),
        "note": share.note,
        "title": printable(name),
        "kind": type_text(asked.key, info.content_type),
        "mark": mark_of(asked.key, info.content_type),
        "size": "" if info.size is None else bytes_text(info.size),
        "content": replace(content, name=printable(name)) if content else None,
        "media": f"{reverse('sharing:media', args=(code,))}?{query}",
        "page": f"{reverse('sharing:document', args=(code,))}?{urlencode({**asked.query, 'number': ''})}",
        "open": "" if shows or look_of(asked.key, info.content_type).kind is Kind.NONE else _address("view", code, asked.query),
        "download": _download(share, code, asked),
        "back": "" if single else reverse("sharing:show", args=(code,)),
        "back_name": "" if single else printable(name_of(share)),
        "seconds": int(settings.SHARE_LINK_SECONDS - cache.reused_for(settings.SHARE_LINK_SECONDS)) if redirected else 0,
    }
    return HttpResponse(_drawn(**shown)) if is_small else draw("sharing/file.html", shown)


@lru_cache(DRAWN_PAGES)
def _drawn(**shown: Hashable) -> bytes:
    """Draw the page, or reuse it while it shows the same: drawing takes as long as the rest of an opening."""
    return draw("sharing/file.html", shown).content


def _content(workspace: Workspace, share: Share, asked: Asked, info: ObjectInfo, *, reused: bool) -> Content:
    """S18, as `read_content` has it. Text is drawn in a process of its own, so small ones are `reused` as the facts are."""

    def read() -> Content:
        return read_content(source_of(workspace, share.space, asked.bucket, asked.key), info)

    if not reused:
        return read()
    return cache.ask(workspace, share, ("content", asked.bucket, asked.key), life=settings.SHARE_LINK_SECONDS, question=read)


def _steps(workspace: Workspace, share: Share, code: str, asked: Asked) -> dict[str, str]:
    """S13: the addresses of the files before and after this one in the list, and its place. The page does without."""
    with suppress(errors.InterfaceError, LinkClosed):
        found = cache.ask(
            workspace,
            share,
            ("list",),
            life=settings.SHARE_LINK_SECONDS,
            question=lambda: visitor.read_all(workspace.storage(share.space), share, name_of(share)),
        )
        files = found.present
        at = next((at for at, file in enumerate(files) if (file.bucket, file.key) == (asked.bucket, asked.key)), None)
        if at is not None:
            before, after = files[at - 1 : at], files[at + 1 : at + 2]
            return {
                "place": f"{at + 1:,} of {len(files):,}{' or more' if found.more else ''}",
                "before": _address("view", code, before[0].query) if before else "",
                "after": _address("view", code, after[0].query) if after else "",
            }
    return {}


def _count(request: HttpRequest, share: Share, asked: Asked) -> None:
    visit = visit_of(request, downloaded=False)
    if asked.ticket:
        access.begun(asked.ticket, visit)
    elif not access.take(share, visit):
        raise LinkClosed(end_states.REVOKED)


def _part(request: HttpRequest, share: Share, code: str, respond: Callable[[Source], HttpResponseBase]) -> HttpResponseBase:
    """What the page of a file loads; without a ticket, nothing of a limited link."""
    require_objects(share)
    asked = _asked(request, share)
    if is_locked(request, share) or (share.limit is not None and not asked.ticket):
        return redirect(reverse("sharing:show", args=(code,)))
    with _found(), acting_as(share.owner, share.grants) as workspace:
        return respond(source_of(workspace, share.space, asked.bucket, asked.key))


def _asked(request: HttpRequest, share: Share) -> Asked:
    """Return what is asked for. Raises `LinkClosed` if the link doesn't open, or doesn't lead there."""
    if code := request.GET.get("ticket", ""):
        ticket = require_ticket(request, share, code)
        return Asked(ticket.bucket, ticket.key, {"ticket": code}, ticket)
    require_open(share)
    named = {name: request.GET[name] for name in ("n", "key") if name in request.GET}
    return Asked(*located(share, read_number(named.get("n", "")), named.get("key", "")), named)


@contextmanager
def _found() -> Iterator[None]:
    """End with the link's own page where the viewer has nothing to show."""
    try:
        yield
    except Http404 as nothing:
        raise LinkClosed(rules.FILE_MISSING) from nothing


def _scope(workspace: Workspace, share: Share, bucket: str) -> tuple[str, ...]:
    return "share", share.code_digest, workspace.fingerprint(TokenKind.STORAGE, share.space), bucket


def _download(share: Share, code: str, asked: Asked) -> str:
    if share.hides_download:
        return ""
    if asked.ticket:
        return reverse("sharing:ticket", args=(code, asked.query["ticket"]))
    return _address("file", code, asked.query)


def _address(name: str, code: str, query: dict[str, str]) -> str:
    return f"{reverse(f'sharing:{name}', args=(code,))}?{urlencode(query)}".rstrip("?")


def _facts(share: Share) -> dict[str, Hashable]:
    return {
        **ends_of(share),
        "sharer": str(share.owner),
        "left": None if share.limit is None else share.limit - share.opened,
        "hides_download": share.hides_download,
    }


def _row(workspace: Workspace, share: Share, code: str, file: File) -> dict[str, object]:
    if file.is_missing:
        return {"name": file.name, "kind": "missing"}
    picture = (
        "" if share.limit is not None else thumbnails.signed_query(_scope(workspace, share, file.bucket), file.key, file.entry)
    )
    number = urlencode({"n": file.query["n"]})
    return {
        "name": file.name,
        "size": "" if file.size is None else bytes_text(file.size),
        "kind": file.kind,
        "href": _address("view", code, file.query),
        "download": "" if share.hides_download else _address("file", code, file.query),
        "thumbnail": f"{reverse('sharing:thumbnail', args=(code,))}?{number}&{picture}" if picture else "",
        "mark": mark_of(file.key, file.entry.mimetype),
    }
