"""The list of functions, and the pages of one: its live body, its source files, how to call it."""

from collections.abc import Sequence
from dataclasses import replace

from django.conf import settings
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_GET

from dashboard.features.functions.forms import Filter
from dashboard.features.functions.rules import Content, is_public
from dashboard.features.functions.services import functions, invocation
from dashboard.features.functions.services.verification import touched
from dashboard.features.functions.services.versions import KEPT_MAX_BYTES
from dashboard.features.functions.views.facts import facts_of, highlighted, source_of
from dashboard.interfaces.management.functions import Function
from dashboard.jobs.settlement import observe
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.project_names import project_name
from dashboard.web.answers import page
from dashboard.web.downloads import file_view, send
from dashboard.web.parallel import side_by_side
from dashboard.web.problems import problem_of

LIST, FUNCTION = "function-list", "function"


@require_GET
@with_workspace
def index(request: WorkspaceRequest, ref: str) -> HttpResponse:
    workspace = request.workspace
    if request.htmx.target == LIST:
        return page(request, "functions/_list.html", _listing(request, ref, functions.list_functions(workspace, ref)))
    workspace.require("management")
    listed, name = side_by_side(lambda: functions.list_functions(workspace, ref), lambda: project_name(workspace, ref))
    return page(request, "functions/index.html", {**_listing(request, ref, listed), "name": name})


@require_GET
@with_workspace
def show(request: WorkspaceRequest, ref: str, slug: str) -> HttpResponse:
    workspace = request.workspace
    workspace.require("management")
    function, live, name = side_by_side(
        lambda: functions.get_function(workspace, ref, slug),
        lambda: functions.read_body(workspace, ref, slug),
        lambda: "" if request.htmx.target == FUNCTION else project_name(workspace, ref),
    )
    observe(workspace, ref, function, "M9", "M12", "M13", of=touched(slug))
    kept = functions.remember(workspace, ref, function, live)
    context = {
        "ref": ref,
        "name": name,
        "function": facts_of(function, ref),
        "source": source_of(live.content, slug) if live.content else None,
        "problem": problem_of(live.failure) if live.failure else None,
        "kept": kept,
        "largest": KEPT_MAX_BYTES,
        "tab": "body",
        "here": request.get_full_path(),
    }
    return page(request, "functions/show.html", context, parts={FUNCTION: "functions/_function.html"})


@require_GET
@with_workspace
@file_view
def body(request: WorkspaceRequest, ref: str, slug: str) -> HttpResponse:
    """Download the live body."""
    content = functions.get_body(request.workspace, ref, slug)
    return send(content.data, filename=content.filename(slug))


@require_GET
@with_workspace
def sources(request: WorkspaceRequest, ref: str, slug: str) -> HttpResponse:
    """The source files inside the live body, if the service unpacks it."""
    workspace = request.workspace
    workspace.require("management")
    files, name = side_by_side(lambda: functions.get_source_files(workspace, ref, slug), lambda: project_name(workspace, ref))
    context = {
        "ref": ref,
        "name": name,
        "slug": slug,
        "sources": [replace(source_of(Content(file.data), slug), filename=file.path) for file in files],
    }
    return page(request, "functions/sources.html", context)


@require_GET
@with_workspace
def calls(request: WorkspaceRequest, ref: str, slug: str) -> HttpResponse:
    workspace = request.workspace
    workspace.require("management")
    function, hostname, name = side_by_side(
        lambda: functions.get_function(workspace, ref, slug),
        lambda: invocation.active_hostname(workspace, ref),
        lambda: project_name(workspace, ref),
    )
    typed = request.GET.get("address", "").strip()
    base = invocation.base_of(ref, typed=typed, hostname=hostname, management_url=settings.MANAGEMENT_URL)
    context = {
        "ref": ref,
        "name": name,
        "function": facts_of(function, ref),
        "base": base,
        "typed": typed,
        "problem": invocation.base_problem(typed),
        "snippets": [highlighted(snippet) for snippet in invocation.snippets_of(function, base)],
        "tab": "calls",
        "calls_url": reverse("functions:calls", args=[ref, slug]),
    }
    return page(request, "functions/calls.html", context)


def _listing(request: WorkspaceRequest, ref: str, listed: Sequence[Function]) -> dict[str, object]:
    asked = Filter.of(request.GET)
    found = functions.arrange(
        listed, search=asked.search, unprotected=asked.unprotected, sort=asked.sort, descending=asked.descending
    )
    return {
        "ref": ref,
        "rows": [facts_of(function, ref) for function in found],
        "total": len(listed),
        "unprotected": sum(is_public(function) for function in listed),
        "deleted": functions.deleted_slugs(request.workspace, ref, {function.slug for function in listed}),
        "asked": asked,
        "sort": request.GET.get("sort", ""),
        "here": request.get_full_path(),
        "home": reverse("functions:index", args=[ref]),
        "new_url": reverse("functions:new", args=[ref]),
    }
