"""Deploy: a form for body and flags, then the review."""

from uuid import UUID

from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from dashboard.features.functions.forms import PASTE_MAX_CHARACTERS, DeployForm, ReviewForm
from dashboard.features.functions.rules import Content, deployed, flags_of, on_button, revision, slug_problem, version_of
from dashboard.features.functions.services import deploy, functions, versions
from dashboard.features.functions.services.deploy import Comparison, Draft
from dashboard.features.functions.services.functions import Live
from dashboard.features.functions.services.verification import touched
from dashboard.features.functions.views.rows import source_of
from dashboard.interfaces.errors import InterfaceError, NotFound
from dashboard.interfaces.management.functions import Function
from dashboard.jobs import review_outcome
from dashboard.jobs.settlement import observe
from dashboard.reviews import reviews
from dashboard.reviews.models import Review, State
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.failures.operations import sends
from dashboard.web.failures.problems import problem_of, sentence
from dashboard.web.input.forms import STALE, status_of
from dashboard.web.pages.answers import done, lead, page, see_other
from dashboard.web.pages.diff import Difference, difference
from dashboard.web.pages.places import draft_view
from dashboard.web.process.parallel import side_by_side

CHANGED = "Nothing was deployed: the function changed since this review was opened. Below is the new comparison."


@require_http_methods(["GET", "POST"])
@with_workspace
@draft_view
@sends("M9")
def new(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """Deploy from an empty form. The review finds out whether the function exists."""
    workspace = request.workspace
    workspace.require("management")
    draft = _reviewed(request, ref, request.GET.get("slug", ""))
    form = _form(request, ref, draft, slug=draft.slug if draft else "")
    if form.is_bound and form.is_valid():
        slug = form.cleaned_data["slug"]
        return _to_review(request, ref, Draft(slug, form.cleaned_data["content"], form.flags(slug=slug, known=None)))
    return _ask(request, ref, form, {"name": workspace.project_name(ref)})


@require_http_methods(["GET", "POST"])
@with_workspace
@draft_view
@sends("M12")
def replace(request: WorkspaceRequest, ref: str, slug: str) -> HttpResponse:
    """Deploy an existing function, edited from its live source or from that of a review."""
    workspace = request.workspace
    workspace.require("management")
    function, live, name = side_by_side(
        lambda: functions.get_function(workspace, ref, slug),
        lambda: functions.read_body(workspace, ref, slug),
        lambda: workspace.project_name(ref),
    )
    functions.remember(workspace, ref, function, live)
    flags, text = flags_of(function), functions.readable_text(ref, function, live)
    draft = _reviewed(request, ref, slug) or Draft(slug, Content((text or "").encode()), flags)
    form = _form(request, ref, draft, slug=slug, base=revision(function))
    if form.is_bound and form.is_valid():
        return _to_review(request, ref, Draft(slug, form.cleaned_data["content"], form.flags(slug=slug, known=flags)))
    problem = problem_of(live.failure) if live.failure else None
    context: dict[str, object] = {"name": name, "slug": slug, "unread": _unread(live, text), "problem": problem}
    if form.is_bound and form.is_outdated:
        before = versions.text_of(workspace, ref, slug, request.POST["base"])
        context["change"] = difference(before, text) if before is not None and text is not None else None
        context["version"] = version_of(function.version)
    return _ask(request, ref, form, context)


@require_GET
@with_workspace
def advice(request: WorkspaceRequest, ref: str) -> HttpResponse:  # noqa: ARG001 - the address belongs to the project
    """Check a slug while it is typed. Sends nothing."""
    return page(request, "functions/_advice.html", {"problem": slug_problem(request.GET.get("slug", "").strip())})


@require_http_methods(["GET", "POST"])
@with_workspace
@draft_view
@sends("M9", "M12")
def review(request: WorkspaceRequest, ref: str, slug: str, review_id: UUID) -> HttpResponse:
    """GET: the comparison, or the outcome once it was applied. POST: apply it, or review it again."""
    workspace = request.workspace
    workspace.require("management")
    found = deploy.find_review(workspace, ref, slug, review_id)
    if request.method == "POST" and request.POST.get("act") == "reopen":
        review_outcome.reopen(found, ref, touched(slug))
        return _see(ref, slug, found)
    payload = found.payload
    if found.state != State.OPEN or payload is None:
        if request.method != "POST":
            return _outcome(request, ref, slug, found)
        reviews.wait(found)
        return _see(ref, slug, found)
    draft = Draft.of(slug, payload)
    if request.method == "POST":
        return _apply(request, ref, found, draft)
    function, live, name = side_by_side(
        lambda: functions.find_function(workspace, ref, slug),
        lambda: functions.read_body(workspace, ref, slug),
        lambda: workspace.project_name(ref),
    )
    return _show(request, ref, draft, function, live, review=found, name=name, form=ReviewForm(None))


def _apply(request: WorkspaceRequest, ref: str, review: Review, draft: Draft) -> HttpResponse:
    """Deploy, unless the function changed since the comparison was shown."""
    workspace, slug = request.workspace, draft.slug
    form = ReviewForm(request.POST)
    function = functions.find_function(workspace, ref, slug)
    if not reviews.is_open(review):
        return _see(ref, slug, review)
    if form.is_valid() and form.cleaned_data["shown"] != revision(function):
        form.add_error(None, ValidationError(CHANGED, code=STALE))
        live, name = side_by_side(
            lambda: functions.read_body(workspace, ref, slug) if function else Live(), lambda: workspace.project_name(ref)
        )
        return _show(request, ref, draft, function, live, review=review, name=name, form=form)
    if form.is_valid():
        note = form.cleaned_data["note"]
        problem = review_outcome.apply(review, lambda: deploy.deploy(workspace, ref, review, draft, function, note=note))
        if problem is None:
            return _applied(request, ref, slug, review)
        form.add_error(None, problem)
    live = deploy.kept_body(workspace, ref, function)
    return _show(request, ref, draft, function, live, review=review, name=workspace.project_name(ref), form=form)


def _applied(request: WorkspaceRequest, ref: str, slug: str, review: Review) -> HttpResponse:
    outcome = review.outcome or {}
    if review.state != State.DONE or outcome.get("findings"):
        return _see(ref, slug, review)
    if back_to := outcome.get("back_to"):
        message = f"Rolled {slug} back to version {back_to}. It is version {outcome['version']} now."
    else:
        message = f"Deployed {slug} as version {outcome['version']}."
    return done(request, message, to=reverse("functions:show", args=[ref, slug]))


def _show(
    request: WorkspaceRequest,
    ref: str,
    draft: Draft,
    function: Function | None,
    live: Live,
    *,
    review: Review,
    name: str,
    form: ReviewForm,
) -> HttpResponse:
    workspace, current, slug = request.workspace, deployed(function), draft.slug
    if current is None or isinstance(live.failure, NotFound):
        live = Live()
    if current:
        functions.remember(workspace, ref, current, live)
    found = deploy.compare(ref, draft, function, live)
    if form.is_bound:
        form.data = {**{key: str(value) for key, value in form.data.items()}, "shown": revision(function)}
    else:
        form.initial["shown"] = revision(function)
    context = {
        "ref": ref,
        "name": name,
        "slug": slug,
        "found": found,
        "change": _change(found),
        "source": source_of(draft.content, slug) if found.is_new else None,
        "button": _button(found),
        "form": form,
        "failure": sentence(live.failure) if isinstance(live.failure, InterfaceError) else "",
        "back": reverse("functions:show", args=[ref, slug]) if function else reverse("functions:index", args=[ref]),
        "edit": _edit(ref, found, review) if draft.content.text is not None and not draft.again else "",
    }
    return page(request, "functions/review.html", context, status=status_of(form))


def _change(found: Comparison) -> Difference | None:
    """The difference line by line, if both bodies are text and differ."""
    new = found.draft.content.text
    if found.is_new or found.is_same_body or found.old_text is None or new is None:
        return None
    return difference(found.old_text, new)


def _edit(ref: str, found: Comparison, review: Review) -> str:
    """The editor with the reviewed source."""
    slug = found.draft.slug
    query = {"review": str(review.pk)}
    if found.is_new:
        return reverse("functions:new", args=[ref], query={**query, "slug": slug})
    return reverse("functions:replace", args=[ref, slug], query=query)


def _button(found: Comparison) -> str:
    slug = on_button(found.draft.slug)
    if found.draft.again:
        return f"Roll back {slug} to version {found.draft.again.version}"
    return f"Deploy {slug}"


def _outcome(request: WorkspaceRequest, ref: str, slug: str, review: Review) -> HttpResponse:
    """The outcome of a review. While it is unknown, the function is read again, which may settle it."""
    workspace = request.workspace
    if review.state == State.UNKNOWN:
        observe(workspace, ref, functions.find_function(workspace, ref, slug), "M9", "M12", of=touched(slug))
        review.refresh_from_db()
    context = {
        "ref": ref,
        "name": workspace.project_name(ref),
        "review": review,
        "slug": slug,
        "called": on_button(slug),
        "may_run": review_outcome.may_run(review, ref, touched(slug)),
        "can_reopen": review_outcome.can_reopen(review, ref, touched(slug)),
    }
    return page(request, "functions/outcome.html", context)


def _see(ref: str, slug: str, review: Review) -> HttpResponse:
    return see_other(reverse("functions:review", args=[ref, slug, review.pk]))


def _to_review(request: WorkspaceRequest, ref: str, draft: Draft) -> HttpResponse:
    review = deploy.create_review(request.workspace, ref, draft)
    return lead(request, reverse("functions:review", args=[ref, draft.slug, review.pk]))


def _reviewed(request: WorkspaceRequest, ref: str, slug: str) -> Draft | None:
    """The source text of the person's open review that `?review` names, to be edited further."""
    try:
        pk = UUID(request.GET.get("review", ""))
    except ValueError:
        return None
    found = deploy.find_review(request.workspace, ref, slug, pk)
    payload = found.payload if found.state == State.OPEN else None
    draft = Draft.of(slug, payload) if payload else None
    return draft if draft and draft.content.text is not None else None


def _unread(live: Live, text: str | None) -> str:
    """Why the editor is empty though the live body was read, in one sentence."""
    if text is None and not live.failure:
        return "The live code is a bundle, which can't be edited here."
    if text and len(text) > PASTE_MAX_CHARACTERS:
        return "The live source is too long to be edited here. Download it, and upload the new one as a file."
    return ""


def _form(request: WorkspaceRequest, ref: str, draft: Draft | None, *, slug: str = "", base: str = "") -> DeployForm:
    data, files = (request.POST, request.FILES) if request.method == "POST" else (None, None)
    advice_url = reverse("functions:advice", args=[ref])
    start, text = (draft.flags, draft.content.text or "") if draft else (None, "")
    return DeployForm(data, files, slug=slug, start=start, text=text, base=base, advice_url=advice_url)


def _ask(request: WorkspaceRequest, ref: str, form: DeployForm, context: dict[str, object]) -> HttpResponse:
    slug = context.get("slug")
    back = reverse("functions:show", args=[ref, slug]) if slug else reverse("functions:index", args=[ref])
    values = {"ref": ref, "slug": "", "form": form, "back": back, **context}
    return page(request, "functions/deploy.html", values, status=status_of(form))
