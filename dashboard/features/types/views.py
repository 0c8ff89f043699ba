"""Show generated types, save them, and compare a file with them."""

from dataclasses import replace

from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from dashboard.features.types import services
from dashboard.features.types.forms import DEFAULT, CheckForm, Query
from dashboard.features.types.services import Generated
from dashboard.interfaces.errors import InterfaceError, TokenRefused
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.failures.problems import refusal_of
from dashboard.web.files.downloads import file_view, send
from dashboard.web.input.forms import status_of
from dashboard.web.pages.answers import page
from dashboard.web.pages.code import coloured
from dashboard.web.pages.diff import difference
from dashboard.web.process.parallel import side_by_side

TEXT, CHECK = "types-text", "types-check"
FILE_NAME = "database.types.ts"


@require_GET
@with_workspace
def index(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """Show the page; a second request loads the types, which may take a minute."""
    asked = Query.of(request.GET)
    request.workspace.require("management")
    if request.htmx.target == TEXT:
        return page(request, "types/_text.html", _shown(ref, asked, _generated(request, ref, asked)))
    if asked.schemas and asked.wait:
        made, name = _generated_and_name(request, ref, asked)
        return page(request, "types/index.html", {**_shown(ref, asked, made), "name": name})
    return page(request, "types/index.html", {**_asking(ref, asked), "name": request.workspace.project_name(ref)})


@require_GET
@with_workspace
@file_view
def file(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """Download the types."""
    made = _generated(request, ref, Query.of(request.GET))
    return send(made.text.encode(), filename=FILE_NAME)


@require_http_methods(["GET", "POST"])
@with_workspace
def check(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """Compare a committed file with newly generated types. The file is not stored."""
    asked = Query.of(request.GET)
    request.workspace.require("management")
    form = CheckForm(request.POST, request.FILES) if request.method == "POST" else CheckForm(initial={"schemas": asked.written})
    context: dict[str, object] = {"ref": ref, "form": form, "here": request.get_full_path(), "back": _home(ref, asked)}
    status = status_of(form)
    if form.is_bound and form.is_valid():
        try:
            context |= _compared(request, ref, asked, form)
            status = 200
        except InterfaceError as failure:
            if request.htmx or isinstance(failure, TokenRefused):
                raise
            # Without scripts, an error page would lose the pasted text.
            form.add_error(None, refusal_of(failure))
            context["name"] = ref
    elif request.htmx.target != CHECK:
        context["name"] = request.workspace.project_name(ref)
    return page(request, "types/check.html", context, parts={CHECK: "types/_check.html"}, status=status)


def _compared(request: WorkspaceRequest, ref: str, asked: Query, form: CheckForm) -> dict[str, object]:
    wanted = Query(schemas=form.cleaned_data["schemas"] or asked.schemas or DEFAULT)
    made, name = _generated_and_name(request, ref, replace(wanted, again=True))
    committed, present = services.trimmed(form.cleaned_data["committed"]), services.trimmed(made.text)
    return {
        "is_current": services.is_current(committed, present),
        "made": made,
        "name": name,
        "form": CheckForm(initial={"schemas": wanted.written}),
        "difference": difference(committed, present),
        "file_href": f"{reverse('types:file', args=[ref])}?{wanted.query()}",
    }


def _generated(request: WorkspaceRequest, ref: str, asked: Query) -> Generated:
    """Return cached types, or newly generated ones."""
    workspace, schemas = request.workspace, asked.schemas or DEFAULT
    kept = None if asked.again else services.remembered(workspace, ref, schemas)
    return kept or services.remember(workspace, ref, schemas, services.generate(workspace, ref, schemas))


def _generated_and_name(request: WorkspaceRequest, ref: str, asked: Query) -> tuple[Generated, str]:
    """Return the types and the project's name, read in parallel."""
    workspace = request.workspace
    kept = None if asked.again else services.remembered(workspace, ref, asked.schemas)
    if kept:
        return kept, workspace.project_name(ref)
    text, name = side_by_side(lambda: services.generate(workspace, ref, asked.schemas), lambda: workspace.project_name(ref))
    return services.remember(workspace, ref, asked.schemas, text), name


def _shown(ref: str, asked: Query, made: Generated) -> dict[str, object]:
    home, file_url = reverse("types:index", args=[ref]), reverse("types:file", args=[ref])
    return {
        **_asking(ref, asked),
        "made": made,
        "markup": "" if made.is_too_large_to_show else coloured(made.text),
        "file_href": f"{file_url}?{asked.query()}",
        "again_href": f"{home}?{asked.query(again=1, wait=1)}",
        "again_get": f"{home}?{asked.query(again=1)}",
    }


def _asking(ref: str, asked: Query) -> dict[str, object]:
    home, check_url = reverse("types:index", args=[ref]), reverse("types:check", args=[ref])
    return {
        "ref": ref,
        "asked": asked,
        "typed": asked.written or ",".join(DEFAULT),
        "load": f"{home}?{asked.query()}",
        "wait_href": f"{home}?{asked.query(wait=1)}",
        "check_href": f"{check_url}?{asked.query()}",
    }


def _home(ref: str, asked: Query) -> str:
    query = asked.query()
    return f"{reverse('types:index', args=[ref])}{'?' if query else ''}{query}"
