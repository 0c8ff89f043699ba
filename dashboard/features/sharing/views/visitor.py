"""The page of a share link, for whoever has its address: no sign-in, no script."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.middleware.csrf import get_token
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from dashboard.features.sharing.rules.crawlers import is_preview
from dashboard.features.sharing.services import cache, contents, unlock
from dashboard.features.sharing.services.visits import noticing
from dashboard.features.sharing.views import end_states
from dashboard.features.sharing.views.download import send
from dashboard.features.sharing.views.end_states import Dead, require_open
from dashboard.features.sharing.views.guard import by_code, draw
from dashboard.interfaces import errors
from dashboard.interfaces.errors import NotFound
from dashboard.links import access
from dashboard.links.ledger import name_of
from dashboard.links.models import Share
from dashboard.links.pages import SharedPage, page_of
from dashboard.tokens.actor import acting_as
from dashboard.web.requests import client_address
from dashboard.web.text import exact, local, relative


@require_http_methods(["GET", "HEAD", "POST"])
@by_code
def show(request: HttpRequest, share: Share, code: str) -> HttpResponseBase:
    """The page; straight to the file where its owner chose that. With a password nothing is read or said before the right one."""
    require_open(share)
    if unlock.is_locked(request, share):
        return _unlock(request, share)
    if shared := page_of(share.kind):
        return _page(request, share, shared)
    single = contents.single_of(share)
    if single and not share.landing and not share.password and not is_preview(request):
        return send(request, share, code, single.bucket, single.key)
    with noticing(share, single=single is not None), acting_as(share.owner) as workspace:
        redirected = workspace.storage_public_url(share.space) is not None
        if single:
            found = cache.ask(
                workspace,
                share,
                ("facts", single.bucket, single.key),
                life=settings.SHARE_LINK_SECONDS,
                question=lambda: contents.read_one(workspace.storage(share.space), single),
            )
        else:
            found = contents.read_all(workspace.storage(share.space), share, name_of(share))
    archive = reverse("sharing:all", args=(code,)) if found.packs else ""
    context = {
        **_facts(share),
        "share": share,
        "found": found,
        "rows": _rows(code, found),
        "archive": archive,
        "seconds": int(settings.SHARE_LINK_SECONDS - cache.reused_for(settings.SHARE_LINK_SECONDS)) if redirected else 0,
    }
    return draw("sharing/open.html", context)


def _page(request: HttpRequest, share: Share, shared: SharedPage) -> HttpResponse:
    """What a feature tells under this link. Each look counts as opened, but none at the head and none of a preview."""
    try:
        with acting_as(share.owner) as workspace:
            found = shared.read(workspace, share)
    except NotFound:
        found = None
    except (errors.TokenRefused, errors.NotAllowed):
        raise
    except errors.InterfaceError as error:
        raise Dead(end_states.page_down(round(error.retry_after) if error.retry_after else None)) from error
    if found is None:
        access.missed(share)
        raise Dead(end_states.NO_PAGE)
    access.met(share)
    if request.method == "GET" and not is_preview(request):
        access.take(share)
    return draw(shared.template, {"share": share, **_facts(share), **found})


def _unlock(request: HttpRequest, share: Share) -> HttpResponse:
    """Ask for the password. Right: back to this address with a cookie for it, for half an hour. Wrong: 422, and it counts."""
    wrong = False
    if request.method == "POST":
        if access.password_fits(share, request.POST.get("password", ""), client_address(request)):
            response = HttpResponse(status=303, headers={"Location": request.path})
            unlock.unlock(response, share)
            return response
        wrong = True
    return draw("sharing/password.html", {"wrong": wrong, "csrf_token": get_token(request)}, status=422 if wrong else 200)


def _facts(share: Share) -> dict[str, object]:
    left = None if share.limit is None else share.limit - share.opened
    return {
        "ends": exact(share.ends_at),
        "ends_local": local(share.ends_at, share.zone),
        "ends_relative": relative(share.ends_at),
        "ends_iso": share.ends_at.isoformat(timespec="seconds"),
        "sharer": str(share.owner),
        "left": left,
    }


def _rows(code: str, found: contents.Contents) -> list[dict[str, str]]:
    base = reverse("sharing:file", args=(code,))
    return [
        {"name": file.name, "size": file.size, "kind": file.kind, "href": "" if file.gone else f"{base}?{file.query}".rstrip("?")}
        for file in found.files
    ]
