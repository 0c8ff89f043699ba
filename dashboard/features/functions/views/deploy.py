"""Deploying: a body and flags, then a plan to look at, then the yes."""

from collections.abc import Callable

from django.core.exceptions import ValidationError
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from dashboard.features.functions.forms import DeployForm, PlanForm
from dashboard.features.functions.models import Deployment
from dashboard.features.functions.rules.labels import Flags, flags_of, marker, version_of
from dashboard.features.functions.rules.slugs import on_button, slug_problem
from dashboard.features.functions.services import deploy, deploy_plan, details
from dashboard.features.functions.services.deploy import Planned
from dashboard.features.functions.services.deploy_plan import Review
from dashboard.features.functions.services.details import Live
from dashboard.features.functions.services.verification import Checked
from dashboard.features.functions.views.facts import source_of
from dashboard.interfaces.errors import InterfaceError, NotFound
from dashboard.interfaces.management.functions import Function
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.project_names import project_name
from dashboard.web.answers import REFUSALS, done, page, repeat
from dashboard.web.diff import Difference, difference
from dashboard.web.idempotency import once
from dashboard.web.parallel import side_by_side
from dashboard.web.places import draft_view
from dashboard.web.problems import sentence

Fresh = tuple[Function | None, Live, str]


@require_http_methods(["GET", "POST"])
@with_workspace
@draft_view
def new(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """A function that is not there yet, or one that is: the plan finds out."""
    request.workspace.require("management")
    form = _form(request, ref)
    if form.is_bound and form.is_valid():
        return _planned(request, ref, form.cleaned_data["slug"], form, None)
    return _ask(request, ref, form, {"name": project_name(request.workspace, ref)})


@require_http_methods(["GET", "POST"])
@with_workspace
@draft_view
def replace(request: WorkspaceRequest, ref: str, slug: str) -> HttpResponse:
    """Another body for a function that is there."""
    workspace = request.workspace
    workspace.require("management")
    function, name = side_by_side(lambda: details.get_function(workspace, ref, slug), lambda: project_name(workspace, ref))
    live = flags_of(function)
    form = _form(request, ref, slug=slug, live=live)
    if form.is_bound and form.is_valid():
        return _planned(request, ref, slug, form, live)
    return _ask(request, ref, form, {"name": name, "slug": slug})


@require_GET
@with_workspace
def advice(request: WorkspaceRequest, ref: str) -> HttpResponse:  # noqa: ARG001 - the address belongs to the project
    """What to say about a slug while it is being typed. Asks no service."""
    return page(request, "functions/_advice.html", {"problem": slug_problem(request.GET.get("slug", "").strip())})


@require_http_methods(["GET", "POST"])
@with_workspace
@draft_view
def plan(request: WorkspaceRequest, ref: str, slug: str, pk: int) -> HttpResponse:
    """GET shows what would change, POST does it; afterwards the address tells how it ended."""
    workspace = request.workspace
    workspace.require("management")
    row = deploy.find_deployment(workspace, ref, slug, pk)
    planned = deploy.open_deployment(row)
    if request.method == "POST":
        return once(request, lambda: _send(request, ref, planned), lambda outcome: repeat(request, outcome))
    if row.state != Deployment.State.PLANNED:
        return _result(request, ref, row)
    return _show(request, ref, planned, _fresh(request, ref, slug), PlanForm(None))


def _send(request: WorkspaceRequest, ref: str, planned: Planned) -> HttpResponse:
    """Send what was looked at; nothing where the function changed since, or was sent already."""
    workspace, slug = request.workspace, planned.row.body.slug
    if planned.row.state != Deployment.State.PLANNED:
        return _see(ref, planned.row)
    form = PlanForm(request.POST)
    function = details.find_function(workspace, ref, slug)
    if form.is_valid() and form.cleaned_data["shown"] != marker(function):
        form.add_error(None, "The function was changed since this plan was made. Nothing was sent. This is the plan as of now.")
        live, name = side_by_side(
            lambda: _live(function, lambda: details.read_body(workspace, ref, slug)), lambda: project_name(workspace, ref)
        )
        return _show(request, ref, planned, (function, live, name), form, status=422)
    if form.is_valid():
        try:
            checked = deploy.deploy(workspace, ref, planned, function, note=form.cleaned_data["note"])
        except ValidationError as invalid:
            form.add_error(None, invalid)
        except REFUSALS as refusal:
            form.add_error(None, sentence(refusal))
        else:
            return _ended(request, ref, planned, checked)
    known = deploy_plan.known_body(workspace, ref, function)
    return _show(request, ref, planned, (function, known, project_name(workspace, ref)), form, status=422)


def _ended(request: WorkspaceRequest, ref: str, planned: Planned, checked: Checked) -> HttpResponse:
    slug = planned.row.body.slug
    if not checked.is_well or checked.function is None:
        return _see(ref, planned.row)
    message = f"{slug} deployed as version {version_of(checked.function.version)}, and read back as sent."
    return done(request, message, to=reverse("functions:show", args=[ref, slug]))


def _fresh(request: WorkspaceRequest, ref: str, slug: str) -> Fresh:
    workspace = request.workspace
    return side_by_side(
        lambda: details.find_function(workspace, ref, slug),
        lambda: details.read_body(workspace, ref, slug),
        lambda: project_name(workspace, ref),
    )


def _live(function: Function | None, read: Callable[[], Live]) -> Live:
    return read() if function else Live()


def _show(
    request: WorkspaceRequest, ref: str, planned: Planned, fresh: Fresh, form: PlanForm, *, status: int = 200
) -> HttpResponse:
    function, live, name = fresh
    running = deploy.running(function)
    if running is None or isinstance(live.failure, NotFound):
        live = Live()
    elif live.content:
        details.remember(request.workspace, ref, running, live)
    review = deploy_plan.review(request.workspace, ref, planned, function, live)
    if form.is_bound:
        form.data = {**{key: str(value) for key, value in form.data.items()}, "shown": marker(function)}
    else:
        form.initial["shown"] = marker(function)
    context = {
        "ref": ref,
        "name": name,
        "slug": planned.row.body.slug,
        "review": review,
        "change": _change(review),
        "source": source_of(planned.content, planned.row.body.slug) if review.is_new else None,
        "button": _button(review, planned.row.body.slug),
        "form": form,
        "failure": sentence(live.failure) if isinstance(live.failure, InterfaceError) else "",
        "back": reverse("functions:show", args=[ref, planned.row.body.slug])
        if function
        else reverse("functions:index", args=[ref]),
    }
    return page(request, "functions/plan.html", context, status=status)


def _change(review: Review) -> Difference | None:
    """Line by line, where both sides are texts and not the same."""
    if review.is_new or review.same_body or review.old_text is None or review.new_text is None:
        return None
    return difference(review.old_text, review.new_text)


def _button(review: Review, slug: str) -> str:
    called = on_button(slug)
    if review.again:
        return f"Deploy version {review.again} of {called} again"
    return f"Deploy {called}" if review.is_new else f"Replace the body of {called}"


def _result(request: WorkspaceRequest, ref: str, row: Deployment) -> HttpResponse:
    """How it ended: where reading back found a difference, that is what the page says."""
    context = {
        "ref": ref,
        "name": project_name(request.workspace, ref),
        "row": row,
        "slug": row.body.slug,
        "called": on_button(row.body.slug),
    }
    return page(request, "functions/result.html", context)


def _see(ref: str, row: Deployment) -> HttpResponse:
    return HttpResponseRedirect(reverse("functions:plan", args=[ref, row.body.slug, row.pk]), status=303)


def _planned(request: WorkspaceRequest, ref: str, slug: str, form: DeployForm, live: Flags | None) -> HttpResponse:
    row = deploy.plan_deployment(request.workspace, ref, slug, form.cleaned_data["content"], form.flags(slug=slug, known=live))
    return _see(ref, row)


def _form(request: WorkspaceRequest, ref: str, *, slug: str = "", live: Flags | None = None) -> DeployForm:
    posted = request.method == "POST"
    return DeployForm(
        request.POST if posted else None,
        request.FILES if posted else None,
        slug=slug,
        live=live,
        advice_url=reverse("functions:advice", args=[ref]),
    )


def _ask(request: WorkspaceRequest, ref: str, form: DeployForm, context: dict[str, object]) -> HttpResponse:
    slug = context.get("slug")
    back = reverse("functions:show", args=[ref, slug]) if slug else reverse("functions:index", args=[ref])
    values = {"ref": ref, "slug": "", "form": form, "back": back, **context}
    return page(request, "functions/deploy.html", values, status=422 if form.is_bound else 200)
