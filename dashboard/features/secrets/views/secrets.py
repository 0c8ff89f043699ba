"""Pages of the secrets of one project."""

from collections.abc import Sequence
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from dashboard.features.secrets.forms import SecretForm
from dashboard.features.secrets.rules.env import template_of
from dashboard.features.secrets.rules.names import SECRETS_LIMIT, is_reserved, name_advice, name_problem
from dashboard.features.secrets.services import secrets as secrets_service
from dashboard.interfaces.errors import InterfaceError
from dashboard.interfaces.management.secrets import Secret
from dashboard.jobs.settlement import observe, require_settled
from dashboard.reviews import reviews
from dashboard.team.rights import needs
from dashboard.tokens import palette
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.failures.operations import sends
from dashboard.web.files.downloads import send
from dashboard.web.input.forms import posted
from dashboard.web.input.idempotency import FIELD, earlier
from dashboard.web.input.typed_secrets import keep
from dashboard.web.pages.answers import dialog, done, failed, page, repeat, submit
from dashboard.web.pages.confirm import confirm, sought
from dashboard.web.pages.finder import Hit, matching
from dashboard.web.pages.pagination import part_of
from dashboard.web.process.parallel import side_by_side
from dashboard.web.text import search_text

LIST = "secret-list"
# Longer names don't fit on a button.
BUTTON_NAME_MAX = 40


@require_GET
@with_workspace
def index(request: WorkspaceRequest, ref: str) -> HttpResponse:
    workspace = request.workspace
    if request.htmx.target == LIST:
        secrets = secrets_service.list_secrets(workspace, ref)
        observe(workspace, ref, secrets, "M6", "M7")
        return page(request, "secrets/_list.html", _listing(request, ref, secrets))
    secrets, name = side_by_side(lambda: secrets_service.list_secrets(workspace, ref), lambda: workspace.project_name(ref))
    observe(workspace, ref, secrets, "M6", "M7")
    context = {"name": name, "unfinished": reviews.find_unfinished(workspace, secrets_service.purpose_of(ref))}
    return page(request, "secrets/index.html", {**_listing(request, ref, secrets), **context})


def found(request: WorkspaceRequest, query: str) -> list[Hit]:
    """Names for the command palette: those that the person's own token last read."""
    read = palette.of_projects(request, "M5", list[Secret]) if query else []
    return matching(
        query,
        (
            Hit(
                name=secret.name,
                href=f"{reverse('secrets:index', args=[project.id])}?{urlencode({'q': secret.name})}",
                icon="lock-keyhole",
                note=project.name,
            )
            for project, secrets in read
            for secret in secrets
        ),
    )


@require_http_methods(["GET", "POST"])
@with_workspace
@sends("M6")
def new(request: WorkspaceRequest, ref: str) -> HttpResponse:
    if told := earlier(request, request.POST.get(FIELD, "")):
        return repeat(request, told)  # before its own secret counts as one to be replaced
    known, failure = _known(request, ref)
    form = SecretForm(posted(request), taken=known, advice_url=reverse("secrets:advice", args=[ref]))

    def perform() -> None:
        name = form.cleaned_data["name"]
        secrets_service.save_secret(request.workspace, ref, name, form.cleaned_data["value"], replaced=known.get(name))

    def then(_: None) -> HttpResponse:
        name = form.cleaned_data["name"]
        message = f"Value of {name} replaced." if form.replaces else f"Secret {name} added."
        return done(request, message, changed="secrets", to=_home(ref))

    context = {
        "title": "Add secret",
        "ref": ref,
        "back": _home(ref),
        "total": len(known),
        "limit": SECRETS_LIMIT,
        "button": "Replace value" if form.is_bound and not form.is_valid() and "replace" in form.fields else "Save secret",
    }
    if failure:
        drawn = {**context, "form": keep(request, form)}
        return failed(request, failure, lambda status: dialog(request, "secrets/_form.html", drawn, status=status))
    return submit(request, form, "secrets/_form.html", perform=perform, then=then, context=context)


def _known(request: WorkspaceRequest, ref: str) -> tuple[dict[str, Secret], InterfaceError | None]:
    """Return the project's secrets by name. Once something was typed, a failure is returned: the form has to stay."""
    try:
        return {secret.name: secret for secret in secrets_service.list_secrets(request.workspace, ref)}, None
    except InterfaceError as failure:
        if request.method != "POST":
            raise
        return {}, failure


@require_GET
@with_workspace
def advice(request: WorkspaceRequest, ref: str) -> HttpResponse:  # noqa: ARG001 - the address belongs to the project
    """Check a name while it is typed. Calls no service."""
    name = request.GET.get("name", "").strip()
    return page(request, "secrets/_advice.html", {"problem": name_problem(name), "advice": name_advice(name)})


@require_http_methods(["GET", "POST"])
@never_cache
@with_workspace
@needs("secret value shown")
def reveal(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """POST shows one value or digest; GET, for htmx, hides it again without calling the service."""
    name = request.GET.get("name", "")
    if request.method == "POST":
        secret = secrets_service.reveal_secret(request.workspace, ref, name)
        row = secrets_service.row_of(secret)
        context = {"ref": ref, "name": request.workspace.known_name(ref) or ref, "row": row, "secret": secret}
        return page(request, "secrets/reveal.html", context, parts={row.id: "secrets/_revealed.html"})
    if not request.htmx:
        return redirect(_home(ref))
    return page(request, "secrets/_hidden.html", {"row": secrets_service.Row(name, "")})


@require_http_methods(["GET", "POST"])
@with_workspace
@sends("M7")
def delete(request: WorkspaceRequest, ref: str) -> HttpResponse:
    name = request.GET.get("name", "")
    if is_reserved(name):
        raise Http404("Reserved secrets are read-only.")
    secret = sought(request, lambda: secrets_service.find_secret(request.workspace, ref, name))
    if request.method == "GET":
        require_settled(request.workspace, ref, f"secret {name}")
    if secret is None:
        return done(request, f"Secret {name} was already deleted.", changed="secrets", to=_home(ref))
    return confirm(
        request,
        title=f"Delete {name}?",
        button=f"Delete {name}" if len(name) <= BUTTON_NAME_MAX else "Delete this secret",
        typed=name if name.isprintable() else None,
        consequences=[
            "Functions of this project lose it at once.",
            "The value can't be restored.",
        ],
        perform=lambda: secrets_service.delete_secret(request.workspace, ref, secret),
        then=lambda _: done(request, f"Secret {name} deleted.", changed="secrets", to=_home(ref)),
        back=_home(ref),
    )


@require_GET
@with_workspace
def names(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """Download the names without values, as a `.env` file to fill in (M5)."""
    secrets = secrets_service.list_secrets(request.workspace, ref)
    return send(
        template_of([secret.name for secret in secrets if not secret.is_reserved], ref).encode(), filename=".env.template"
    )


def _listing(request: WorkspaceRequest, ref: str, secrets: Sequence[Secret]) -> dict[str, object]:
    search = search_text(request.GET.get("q", "")).strip()
    found = [secret for secret in secrets if search.casefold() in secret.name.casefold()]
    shown = part_of(request, found)
    changers = secrets_service.changers_of(request.workspace, ref, shown.rows)
    rows = [secrets_service.row_of(secret, by=changers.get(secret.name, "")) for secret in shown.rows]
    return {
        "ref": ref,
        "rows": rows,
        "page": shown,
        "found": len(found),
        "total": len(secrets),
        "limit": SECRETS_LIMIT,
        "has_changes": any(row.updated_at for row in rows),
        "search": search,
        "list_url": _home(ref),
        "new_url": reverse("secrets:new", args=[ref]),
    }


def _home(ref: str) -> str:
    return reverse("secrets:index", args=[ref])
