"""Pages of the generated types of one project."""

from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from dashboard.features.types.forms import CheckForm
from dashboard.features.types.rules.query import DEFAULT, Asked
from dashboard.features.types.services import types
from dashboard.features.types.services.outline import preview
from dashboard.features.types.services.types import Generated
from dashboard.interfaces.errors import InterfaceError, TokenRefused
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.project_names import project_name
from dashboard.web.answers import page
from dashboard.web.diff import difference
from dashboard.web.downloads import file_view, send
from dashboard.web.parallel import side_by_side
from dashboard.web.problems import sentence

TEXT, CHECK = "types-text", "types-check"
FILE_NAME = "database.types.ts"


@require_GET
@with_workspace
def index(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """The frame at once; the types come into it by a request of their own, which may take a minute."""
    asked = Asked.of(request.GET)
    request.workspace.require("management")
    if request.htmx.target == TEXT:
        return page(request, "types/_text.html", _shown(ref, asked, _generated(request, ref, asked)))
    if asked.schemas and asked.wait:
        made, name = _generated_and_name(request, ref, asked)
        return page(request, "types/index.html", {**_shown(ref, asked, made), "name": name})
    return page(request, "types/index.html", {**_asking(ref, asked), "name": project_name(request.workspace, ref)})


@require_GET
@with_workspace
@file_view
def file(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """The types to be saved, always under the same name."""
    made = _generated(request, ref, Asked.of(request.GET))
    return send(made.text.encode(), filename=FILE_NAME)


@require_http_methods(["GET", "POST"])
@with_workspace
def check(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """Is a committed file stale? What was given is compared with types generated for it, and forgotten."""
    asked = Asked.of(request.GET)
    request.workspace.require("management")
    form = CheckForm(request.POST, request.FILES) if request.method == "POST" else CheckForm(initial={"schemas": asked.written})
    context: dict[str, object] = {"ref": ref, "form": form, "here": request.get_full_path(), "back": _home(ref, asked)}
    status = 422 if form.is_bound else 200
    if form.is_bound and form.is_valid():
        try:
            context |= _compared(request, ref, asked, form)
            status = 200
        except InterfaceError as failure:
            if request.htmx or isinstance(failure, TokenRefused):
                raise
            # Without script a page of its own would take what was pasted along.
            form.add_error(None, sentence(failure))
            context["name"] = ref
    elif request.htmx.target != CHECK:
        context["name"] = project_name(request.workspace, ref)
    return page(request, "types/check.html", context, parts={CHECK: "types/_check.html"}, status=status)


def _compared(request: WorkspaceRequest, ref: str, asked: Asked, form: CheckForm) -> dict[str, object]:
    committed = form.cleaned_data["committed"]
    schemas = form.cleaned_data["schemas"] or types.schemas_in(committed) or asked.schemas or DEFAULT
    made, name = _generated_and_name(request, ref, Asked(schemas=schemas, again=True))
    compared = types.compare(committed, made.text)
    return {
        "compared": compared,
        "made": made,
        "name": name,
        "form": CheckForm(initial={"schemas": ",".join(schemas)}),
        "difference": difference(compared.committed, compared.present),
        "file_href": f"{reverse('types:file', args=[ref])}?{Asked(schemas=schemas).query()}",
    }


def _generated(request: WorkspaceRequest, ref: str, asked: Asked) -> Generated:
    """As remembered, or generated now. Nothing is remembered of a generation that failed."""
    workspace, schemas = request.workspace, asked.schemas or DEFAULT
    kept = None if asked.again else types.remembered(workspace, ref, schemas)
    return kept or types.remember(workspace, ref, schemas, types.generate(workspace, ref, schemas))


def _generated_and_name(request: WorkspaceRequest, ref: str, asked: Asked) -> tuple[Generated, str]:
    """The same with the project's name, asked for side by side where both must be asked for."""
    workspace = request.workspace
    kept = None if asked.again else types.remembered(workspace, ref, asked.schemas)
    if kept:
        return kept, project_name(workspace, ref)
    text, name = side_by_side(lambda: types.generate(workspace, ref, asked.schemas), lambda: project_name(workspace, ref))
    return types.remember(workspace, ref, asked.schemas, text), name


def _shown(ref: str, asked: Asked, made: Generated) -> dict[str, object]:
    home, file_url = reverse("types:index", args=[ref]), reverse("types:file", args=[ref])
    return {
        **_asking(ref, asked),
        "made": made,
        "preview": preview(made.text, search=asked.search),
        "file_href": f"{file_url}?{asked.query(q='', set='')}",
        "again_href": f"{home}?{asked.query(again=1, wait=1)}",
        "again_get": f"{home}?{asked.query(again=1)}",
        "all_href": f"{home}?{asked.query(q='', wait=1)}",
        "all_get": f"{home}?{asked.query(q='')}",
    }


def _asking(ref: str, asked: Asked) -> dict[str, object]:
    home, check_url = reverse("types:index", args=[ref]), reverse("types:check", args=[ref])
    return {
        "ref": ref,
        "asked": asked,
        "typed": asked.written or ",".join(DEFAULT),
        "chips": asked.chips(home),
        "remember_href": asked.remember(home),
        "load": f"{home}?{asked.query()}",
        "wait_href": f"{home}?{asked.query(wait=1)}",
        "check_href": f"{check_url}?{asked.query(q='')}",
    }


def _home(ref: str, asked: Asked) -> str:
    query = asked.query(q="")
    return f"{reverse('types:index', args=[ref])}{'?' if query else ''}{query}"
