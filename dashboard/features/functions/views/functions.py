"""The list of functions, and the pages of one: its body, source files, example calls, settings, deletion."""

from collections.abc import Sequence
from dataclasses import replace

from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from dashboard.features.functions.forms import Filter, NoteForm, SettingsForm
from dashboard.features.functions.rules import Content, flags_of, is_public, is_readable, on_button, revision
from dashboard.features.functions.services import functions, invocation
from dashboard.features.functions.services.functions import Live
from dashboard.features.functions.services.verification import Checked, touched
from dashboard.features.functions.services.versions import KEPT_MAX_BYTES, is_kept
from dashboard.features.functions.views.rows import highlighted, row_of, source_of
from dashboard.interfaces.management.functions import Function, FunctionStatus
from dashboard.jobs.resend import reviews_again
from dashboard.jobs.settlement import Wanted, observe, require_settled
from dashboard.team.rights import LEAST, allows, needs, needs_role
from dashboard.tokens import palette
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.workspace import Workspace
from dashboard.web.failures.operations import sends
from dashboard.web.failures.problems import problem_of, sentence
from dashboard.web.failures.retries import retry_of
from dashboard.web.files.downloads import file_view, send
from dashboard.web.input.forms import posted
from dashboard.web.pages.answers import done, page, submit
from dashboard.web.pages.confirm import confirm, sought
from dashboard.web.pages.finder import Hit, matching
from dashboard.web.process.parallel import side_by_side
from dashboard.web.text import bytes_text, counted

LIST, FUNCTION = "function-list", "function"


@require_GET
@with_workspace
def index(request: WorkspaceRequest, ref: str) -> HttpResponse:
    workspace = request.workspace
    if request.htmx.target == LIST:
        return page(request, "functions/_list.html", _listing(request, ref, functions.list_functions(workspace, ref)))
    workspace.require("management")
    listed, name = side_by_side(lambda: functions.list_functions(workspace, ref), lambda: workspace.project_name(ref))
    return page(request, "functions/index.html", {**_listing(request, ref, listed), "name": name})


def found(request: WorkspaceRequest, query: str) -> list[Hit]:
    """Functions for the command palette: those that the person's own token last read."""
    read = palette.of_projects(request, "M10", list[Function]) if query else []
    return matching(
        query,
        (
            Hit(
                name=function.slug,
                href=reverse("functions:show", args=[project.id, function.slug]),
                icon="square-function",
                note=project.name if function.name == function.slug else f"{function.name} · {project.name}",
            )
            for project, functions in read
            for function in functions
            if is_readable(function.slug)
        ),
    )


@require_GET
@with_workspace
def show(request: WorkspaceRequest, ref: str, slug: str) -> HttpResponse:
    workspace = request.workspace
    workspace.require("management")
    may_read = allows(request.user.role, "M14")
    function, live, name = side_by_side(
        lambda: functions.get_function(workspace, ref, slug),
        lambda: functions.read_body(workspace, ref, slug) if may_read else Live(),
        lambda: "" if request.htmx.target == FUNCTION else workspace.project_name(ref),
    )
    observe(workspace, ref, function, "M9", "M12", "M13", of=touched(slug))
    kept = functions.remember(workspace, ref, function, live)
    problem = problem_of(live.failure) if live.failure else None
    context = {
        "ref": ref,
        "name": name,
        "function": function,
        "row": row_of(function, ref),
        "source": source_of(live.content, slug) if live.content else None,
        "problem": problem,
        "retry": retry_of(request, problem) if problem else None,
        "kept": kept,
        "missing_role": "" if may_read else needs_role(LEAST["M14"]),
        "note": functions.note_of(ref, slug),
        "largest": KEPT_MAX_BYTES,
        "tab": "body",
    }
    return page(request, "functions/show.html", context, parts={FUNCTION: "functions/_function.html"})


@require_GET
@with_workspace
@file_view
@needs("M14")
def body(request: WorkspaceRequest, ref: str, slug: str) -> HttpResponse:
    """Download the live body."""
    content = functions.get_body(request.workspace, ref, slug)
    return send(content.data, filename=content.filename(slug))


@require_GET
@with_workspace
@needs("M14")
def sources(request: WorkspaceRequest, ref: str, slug: str) -> HttpResponse:
    """The source files inside the live body, if the service unpacks it."""
    workspace = request.workspace
    workspace.require("management")
    files, name = side_by_side(lambda: functions.get_source_files(workspace, ref, slug), lambda: workspace.project_name(ref))
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
        lambda: workspace.project_name(ref),
    )
    typed = request.GET.get("address", "").strip()
    base = invocation.base_of(ref, typed=typed, hostname=hostname, management_url=settings.MANAGEMENT_URL)
    context = {
        "ref": ref,
        "name": name,
        "function": function,
        "base": base,
        "typed": typed,
        "problem": invocation.base_problem(typed),
        "snippets": [highlighted(snippet) for snippet in invocation.snippets_of(function, base)],
        "tab": "calls",
        "calls_url": reverse("functions:calls", args=[ref, slug]),
    }
    return page(request, "functions/calls.html", context)


@require_http_methods(["GET", "POST"])
@with_workspace
@sends("M12")
def edit(request: WorkspaceRequest, ref: str, slug: str) -> HttpResponse:
    workspace = request.workspace
    if request.method == "GET":
        require_settled(workspace, ref, touched(slug))
    function = functions.get_function(workspace, ref, slug)
    live = flags_of(function)
    form = SettingsForm(posted(request), live=live, revision=revision(function))
    form.is_valid()  # A form that would make it public has a box for that.
    is_opening = "open" in form.fields

    def perform() -> Checked:
        checked = functions.change_settings(workspace, ref, function, form.flags(slug=slug, known=live))
        if checked.mismatches:
            found = " ".join(mismatch.sentence for mismatch in checked.mismatches)
            raise ValidationError(f"The service confirmed the change but didn't apply it. {found}")
        return checked

    def then(_: Checked) -> HttpResponse:
        message = f"Settings of {slug} saved and verified."
        return done(request, message, changed="functions", to=reverse("functions:show", args=[ref, slug]))

    context = {
        "title": f"Settings of {slug}",
        "back": reverse("functions:show", args=[ref, slug]),
        "button": f"Make {on_button(slug)} public" if is_opening else "Save settings",
        "opening": is_opening,
        "is_reported": function.verify_jwt is not None,
    }
    return submit(request, form, "functions/_settings.html", perform=perform, then=then, context=context)


@require_http_methods(["GET", "POST"])
@with_workspace
@needs("function note changed")
def note(request: WorkspaceRequest, ref: str, slug: str) -> HttpResponse:
    """What the team should know about a function. Only people whose token can read it get here."""
    workspace = request.workspace
    functions.get_function(workspace, ref, slug)
    current = functions.note_of(ref, slug)
    form = NoteForm(posted(request), current=current.text if current else "")
    home = reverse("functions:show", args=[ref, slug])

    def then(_: None) -> HttpResponse:
        message = f"Note of {slug} saved." if form.cleaned_data["note"] else f"Note of {slug} removed."
        return done(request, message, changed="functions", to=home)

    return submit(
        request,
        form,
        perform=lambda: functions.set_note(workspace, ref, slug, form.cleaned_data["note"]),
        then=then,
        context={"title": f"Note of {slug}", "button": "Save note", "back": home},
    )


@require_http_methods(["GET", "POST"])
@with_workspace
@sends("M13")
def delete(request: WorkspaceRequest, ref: str, slug: str) -> HttpResponse:
    workspace = request.workspace
    workspace.require("management")
    if request.method == "GET":
        require_settled(workspace, ref, touched(slug))
    home, own = reverse("functions:index", args=[ref]), reverse("functions:show", args=[ref, slug])
    here = request.htmx.current_url_abs_path or ""
    changed = () if here.startswith(own) else "functions"
    read = sought(
        request,
        lambda: side_by_side(
            lambda: functions.get_function(workspace, ref, slug), lambda: functions.read_body(workspace, ref, slug)
        ),
    )
    if read is None:
        return done(request, f"Function {slug} was already deleted.", changed=changed, to=home)
    function, live = read
    content = live.content if live.content and is_kept(live.content) else None

    def then(_deleted: object) -> HttpResponse:
        message = f"Function {slug} deleted. Its code is kept here." if content else f"Function {slug} deleted."
        link = ("Kept versions", reverse("functions:versions", args=[ref, slug])) if content else None
        return done(request, message, changed=changed, to=home, link=link)

    return confirm(
        request,
        title=f"Delete {slug}?",
        button=f"Delete {on_button(slug)}",
        typed=slug if content else f"{slug} without its code",
        consequences=[
            "Calls to it fail at once. The service can't restore it.",
            _body_consequence(live),
        ],
        perform=lambda: functions.delete_function(workspace, ref, function, content),
        then=then,
        back=own,
    )


@reviews_again("M13")
def delete_anew(_workspace: Workspace, ref: str, kept: Wanted, _function: Function | None) -> str:
    """Return the address where a function that could not be deleted again is deleted."""
    return reverse("functions:delete", args=[ref, kept["slug"]])


def _listing(request: WorkspaceRequest, ref: str, listed: Sequence[Function]) -> dict[str, object]:
    asked, notes = Filter.of(request.GET), functions.notes_of(ref)
    found = functions.arrange(
        listed, search=asked.search, unprotected=asked.unprotected, sort=asked.sort.column, descending=asked.sort.descending
    )
    return {
        "ref": ref,
        "rows": [row_of(function, ref, notes.get(function.slug, "")) for function in found],
        "total": len(listed),
        "counts": _counts(listed, len(found) if asked.is_narrow else None),
        "deleted": functions.deleted_slugs(request.workspace, ref, {function.slug for function in listed}),
        "asked": asked,
        "here": request.get_full_path(),
        "home": reverse("functions:index", args=[ref]),
        "new_url": reverse("functions:new", args=[ref]),
    }


def _counts(listed: Sequence[Function], shown: int | None) -> list[str]:
    """Count the functions as overviews do, removed ones apart. `shown`: how many a filter leaves."""
    removed = sum(function.status is FunctionStatus.REMOVED for function in listed)
    counts = (
        [counted(len(listed) - removed, "function")] if shown is None else [f"{shown:,} of {counted(len(listed), 'function')}"]
    )
    if removed:
        counts.append(f"{removed:,} removed")
    if listed:
        counts.append(f"{sum(map(is_public, listed)):,} unprotected")
    return counts


def _body_consequence(live: Live) -> str:
    if live.failure is not None:
        return f"Its code could not be read, so it is not kept. {sentence(live.failure)}"
    if live.content and not is_kept(live.content):
        return (
            f"Its code is not kept: it has {bytes_text(live.content.size)}, the limit is {bytes_text(KEPT_MAX_BYTES)}. "
            "Download it first if you may need it."
        )
    return "Its code is kept here. Deploying it again creates a new function, with a new id, at the same address."
