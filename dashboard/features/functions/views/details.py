"""One function: what runs, and how it is called."""

from dataclasses import replace

from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_GET

from dashboard.features.functions.rules.bundles import Content
from dashboard.features.functions.services import details, invocation
from dashboard.features.functions.services.verification import touched
from dashboard.features.functions.services.versions import LARGEST
from dashboard.features.functions.views.facts import facts_of, printed, source_of
from dashboard.jobs.settlement import observe
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.project_names import project_name
from dashboard.web.answers import page
from dashboard.web.downloads import file_view, send
from dashboard.web.parallel import side_by_side
from dashboard.web.problems import problem_of

PART = "function"


@require_GET
@with_workspace
def show(request: WorkspaceRequest, ref: str, slug: str) -> HttpResponse:
    workspace = request.workspace
    workspace.require("management")
    function, live, name = side_by_side(
        lambda: details.get_function(workspace, ref, slug),
        lambda: details.read_body(workspace, ref, slug),
        lambda: "" if request.htmx.target == PART else project_name(workspace, ref),
    )
    observe(workspace, ref, function, "M9", "M12", "M13", of=touched(slug))
    kept = details.remember(workspace, ref, function, live)
    context = {
        "ref": ref,
        "name": name,
        "function": facts_of(function, ref),
        "source": source_of(live.content, slug) if live.content else None,
        "problem": problem_of(live.failure) if live.failure else None,
        "kept": kept,
        "largest": LARGEST,
        "tab": "body",
        "here": request.get_full_path(),
    }
    return page(request, "functions/show.html", context, parts={PART: "functions/_function.html"})


@require_GET
@with_workspace
@file_view
def body(request: WorkspaceRequest, ref: str, slug: str) -> HttpResponse:
    """The live body, to be saved."""
    content = details.get_body(request.workspace, ref, slug)
    return send(content.data, filename=content.filename(slug))


@require_GET
@with_workspace
def sources(request: WorkspaceRequest, ref: str, slug: str) -> HttpResponse:
    """What is packed inside the live body, where the service unpacks it."""
    workspace = request.workspace
    workspace.require("management")
    files, name = side_by_side(lambda: details.get_source_files(workspace, ref, slug), lambda: project_name(workspace, ref))
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
        lambda: details.get_function(workspace, ref, slug),
        lambda: invocation.active_hostname(workspace, ref),
        lambda: project_name(workspace, ref),
    )
    typed = request.GET.get("address", "").strip()
    base = invocation.base_of(ref, typed=typed, hostname=hostname)
    context = {
        "ref": ref,
        "name": name,
        "function": facts_of(function, ref),
        "base": base,
        "typed": typed,
        "problem": invocation.base_problem(typed),
        "snippets": [printed(snippet) for snippet in invocation.snippets_of(function, base)],
        "tab": "calls",
        "calls_url": reverse("functions:calls", args=[ref, slug]),
    }
    return page(request, "functions/calls.html", context)
