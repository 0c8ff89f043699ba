"""The sign desk: links for many objects at once."""

from itertools import islice

from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dashboard.catalog.selection import Selection
from dashboard.features.sharing.forms.batch import DeskForm
from dashboard.features.sharing.models import LinkSet
from dashboard.features.sharing.services import batch
from dashboard.features.sharing.views import selection as selection_views
from dashboard.features.sharing.views.batch_texts import words_of, words_of_row
from dashboard.jobs.views.jobs import started
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.spaces import SHARED
from dashboard.web.answers import dialog, done, page, repeat, submit
from dashboard.web.idempotency import once
from dashboard.web.pagination import part_of_total
from dashboard.web.parallel import later
from dashboard.web.requests import path_of

# A form of more is refused before it is read.
MOST_CARRIED = 20_000


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
def index(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Asks what and until when; then counts it (S13). Nothing is signed here."""
    base = request.workspace.storage_public_url(space)
    request.workspace.require("storage", space)
    bound = request.method == "POST" and "life" in request.POST
    carried = request.method == "POST" and selection_views.CHOICE in request.POST
    selection = selection_views.carried(request, space, bucket) if carried else selection_views.first(request, space, bucket)
    context: dict[str, object] = {"title": "Sign desk", "back": selection_views.back(selection)}
    if base is None:
        return dialog(request, "sharing/desk_unreachable.html", context)
    form = DeskForm(request.POST if bound else None, request.FILES if bound else None, chosen=selection)
    if not selection.is_empty:
        context["title"] = f"Make links for {selection.sentence()}"
    return submit(
        request,
        form,
        "sharing/desk_form.html",
        perform=lambda: batch.prepare(
            request.workspace,
            form.cleaned_data["selection"],
            life=form.seconds,
            ends_at=form.cleaned_data["ends_at"],
            ask=later,
        ),
        then=lambda links: _prepared(request, links),
        context={
            **context,
            "action": path_of(request),
            "kept": [(batch.page_of(one), words_of_row(one), one) for one in batch.kept(request.workspace, space, bucket)],
            "chosen": "" if selection.is_empty else selection_views.as_text(selection),
            "lead": "Presigned links for many objects. First they are counted: nothing is signed before you saw what there is.",
        },
    )


@require_safe
@with_workspace
def show(request: WorkspaceRequest, space: str, bucket: str, set_id: int) -> HttpResponse:
    """What was counted, or what came of it. Asks the service nothing."""
    links = batch.own(request.workspace, space, bucket, set_id)
    context = {
        **words_of(links),
        **_sharing(links),
        "refusals": part_of_total(request, links.refused, lambda start, end: list(islice(links.refusals(), start, end))),
        "space": space,
        "bucket": bucket,
        "space_title": request.workspace.title(space),
        "is_project": space != SHARED,
        "base": reverse("objects:index", args=(space, bucket)),
        "links": links,
        "here": request.get_full_path(),
    }
    return page(request, "sharing/desk.html", context, parts={"signed": "sharing/_desk.html"})


@require_POST
@with_workspace
def sign(request: WorkspaceRequest, space: str, bucket: str, set_id: int) -> HttpResponse:
    """S15 for what waits; with `refused`, once more for those that got none."""
    links = batch.own(request.workspace, space, bucket, set_id)
    home = batch.page_of(links)

    def act() -> HttpResponse:
        if "refused" not in request.POST:
            batch.sign(request.workspace, links)
        elif not batch.sign_refused(request.workspace, links):
            return done(request, "The job tries again what failed.", changed="jobs", to=home)
        made = f"{links.signed:,} link{' is' if links.signed == 1 else 's are'} ready"
        return done(request, f"{made}; {links.refused:,} could not be made." if links.refused else f"{made}.", to=home)

    return once(request, act, lambda outcome: repeat(request, outcome))


@require_POST
@with_workspace
def forget(request: WorkspaceRequest, space: str, bucket: str, set_id: int) -> HttpResponse:
    """Our copy goes; links that were handed out go on working."""
    batch.own(request.workspace, space, bucket, set_id).delete()
    return done(request, "The links are forgotten here. Those handed out work until their end.", to=_home(space, bucket))


def _prepared(request: WorkspaceRequest, links: LinkSet) -> HttpResponse:
    if links.job:
        return started(request, links.job)
    return done(request, "Nothing is signed yet: this is what there is.", to=batch.page_of(links))


def _sharing(links: LinkSet) -> dict[str, object]:
    """The fields by which the same things become one share link, and by which they are signed anew."""
    selection = Selection.from_parameters(links.selection)
    keys, folders = batch.shareable(links)
    carried = len(selection.keys) + len(selection.folders) <= MOST_CARRIED
    return {
        "share_fields": [("key", key) for key in keys] + [("folder", folder) for folder in folders],
        "searched": bool(selection.filter),
        "chosen": selection_views.as_text(selection) if carried else "",
    }


def _home(space: str, bucket: str) -> str:
    return reverse("sharing:desk", args=(space, bucket))
