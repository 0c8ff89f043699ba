"""Kept versions: show, compare, download, deploy again."""

from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from dashboard.features.functions.forms import CompareForm
from dashboard.features.functions.models import Seen
from dashboard.features.functions.rules import Content
from dashboard.features.functions.services import deploy, functions
from dashboard.features.functions.services import versions as versions_service
from dashboard.features.functions.views.rows import source_of, version_row
from dashboard.team.rights import needs
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.files.downloads import send
from dashboard.web.pages.answers import page, see_other
from dashboard.web.pages.diff import difference
from dashboard.web.process.parallel import side_by_side


@require_GET
@with_workspace
def index(request: WorkspaceRequest, ref: str, slug: str) -> HttpResponse:
    workspace = request.workspace
    workspace.require("management")
    function, name = side_by_side(lambda: functions.find_function(workspace, ref, slug), lambda: workspace.project_name(ref))
    versions = [version_row(seen, ref, function) for seen in versions_service.versions_of(workspace, ref, slug, function)]
    if function is None and not versions:
        raise Http404("There is no such function, and no version of it is kept.")
    context = {
        "ref": ref,
        "name": name,
        "slug": slug,
        "function": function,
        "versions": versions,
        "has_notes": any(version.note for version in versions),
        "most": versions_service.VERSIONS_MAX,
        "most_bytes": versions_service.VERSIONS_MAX_BYTES,
        "largest": versions_service.KEPT_MAX_BYTES,
        "tab": "versions",
    }
    return page(request, "functions/versions.html", context)


@require_GET
@with_workspace
@needs("M14")
def show(request: WorkspaceRequest, ref: str, slug: str, pk: int) -> HttpResponse:
    seen = _find(request, ref, slug, pk)
    content = versions_service.open_body(seen.body)
    context = {
        "ref": ref,
        "name": request.workspace.project_name(ref),
        "slug": slug,
        "version": version_row(seen, ref, None),
        "source": source_of(content, slug) if content else None,
    }
    return page(request, "functions/version.html", context)


@require_GET
@with_workspace
@needs("M14")
def body(request: WorkspaceRequest, ref: str, slug: str, pk: int) -> HttpResponse:
    """Download a kept body."""
    content = _open(_find(request, ref, slug, pk))
    return send(content.data, filename=content.filename(slug))


@require_GET
@with_workspace
@needs("M14")
def compare(request: WorkspaceRequest, ref: str, slug: str) -> HttpResponse:
    chosen = CompareForm(request.GET)
    if not chosen.is_valid():
        return HttpResponseRedirect(reverse("functions:versions", args=[ref, slug]))
    old, new = (_find(request, ref, slug, chosen.cleaned_data[side]) for side in ("old", "new"))
    before, after = _open(old), _open(new)
    comparable = before.text is not None and after.text is not None
    context = {
        "ref": ref,
        "name": request.workspace.project_name(ref),
        "slug": slug,
        "old": version_row(old, ref, None),
        "new": version_row(new, ref, None),
        "old_description": before.description,
        "new_description": after.description,
        "difference": difference(before.text or "", after.text or "") if comparable else None,
        "is_same": before.digest == after.digest,
    }
    return page(request, "functions/comparison.html", context)


@require_POST
@with_workspace
@needs("M12")
def again(request: WorkspaceRequest, ref: str, slug: str, pk: int) -> HttpResponse:
    """Review deploying a kept body again."""
    workspace = request.workspace
    seen = _find(request, ref, slug, pk)
    draft = deploy.draft_again(seen, _open(seen), functions.find_function(workspace, ref, slug))
    review = deploy.create_review(workspace, ref, draft)
    return see_other(reverse("functions:review", args=[ref, slug, review.pk]))


def _find(request: WorkspaceRequest, ref: str, slug: str, pk: int) -> Seen:
    request.workspace.require("management")
    seen = versions_service.version_of_body(request.workspace, ref, slug, pk)
    if seen is None:
        raise Http404("There is no such version, or your token can't read this function.")
    return seen


def _open(seen: Seen) -> Content:
    content = versions_service.open_body(seen.body)
    if content is None:
        raise Http404("This code can't be opened: its key is gone.")
    return content
