"""Show the root key's fingerprint, reveal the key in three ways, and replace it."""

from uuid import UUID

from django.core.exceptions import ValidationError
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from dashboard.features.encryption import services
from dashboard.features.encryption.forms import GENERATE, ConfirmationForm, NewKeyForm
from dashboard.features.encryption.rules import Replacement, fingerprint, new_key, short
from dashboard.features.encryption.services import Known, Reveal
from dashboard.interfaces.errors import InterfaceError
from dashboard.jobs import review_outcome
from dashboard.jobs.resend import reviews_again
from dashboard.jobs.settlement import Wanted, is_being_checked, observe, require_settled
from dashboard.journal.recorder import digest
from dashboard.reviews import reviews
from dashboard.reviews.models import Review, State
from dashboard.team.gate import fresh_sign_in
from dashboard.team.rights import needs
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.project_names import confirmation_of
from dashboard.tokens.workspace import Workspace
from dashboard.web.failures.operations import sends
from dashboard.web.failures.problems import problem_of
from dashboard.web.files.downloads import send
from dashboard.web.input.forms import STALE, posted, status_of
from dashboard.web.input.typed_secrets import forget, keep
from dashboard.web.pages.answers import failed, page, see_other
from dashboard.web.pages.confirm import mismatch, on_production
from dashboard.web.process.parallel import side_by_side

KEY = "root-key"
CONSEQUENCES = (
    "Data encrypted with the current key, in this project's vault or columns, becomes unreadable.",
    "Only restoring the current key makes it readable again. Neither the service nor Pilothouse keeps it.",
    "Existing backups still need the current key.",
)
CHANGED = "The root key was not replaced: somebody else replaced it since you started. Start again."
NOT_SAVED = "You haven't shown, copied or saved the current key in the last hour. Save it first."


@require_GET
@with_workspace
@needs("M20")
def index(request: WorkspaceRequest, ref: str) -> HttpResponse:
    workspace = request.workspace
    known, name = side_by_side(lambda: services.read_key(workspace, ref), lambda: workspace.project_name(ref))
    observe(workspace, ref, known, "M21")
    checking = is_being_checked(ref, services.TARGET)
    return page(request, "encryption/index.html", {"ref": ref, "name": name, "known": known, "checking": checking})


@require_http_methods(["GET", "POST"])
@never_cache
@with_workspace
@needs("M20")
def key(request: WorkspaceRequest, ref: str) -> HttpResponseBase:
    """Reveal the key on POST. On GET, for htmx, hide it again without calling the service."""
    if request.method == "POST":
        return _reveal(request, ref)
    if not request.htmx:
        return redirect("encryption:index", ref)
    return page(request, "encryption/_hidden.html", {"ref": ref})


@require_POST
@never_cache
@with_workspace
@fresh_sign_in
@needs("M20")
def file(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """Send the key as a text file."""
    revealed = services.reveal(request.workspace, ref, Reveal.SAVED)
    lines = (
        f"Encryption root key of the project {ref}",
        f"Saved on {timezone.now():%Y-%m-%d %H:%M:%S} UTC by {request.user.email}",
        f"Fingerprint (first 16 digits of the key's SHA-256): {revealed.fingerprint}",
        "",
        revealed.key,
        "",
    )
    return send("\n".join(lines).encode(), filename=f"root-key-{ref}.txt")


@require_http_methods(["GET", "POST"])
@never_cache
@with_workspace
@fresh_sign_in
@sends("M21")
def replacement(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """Choose the new key and seal it in a review. Nothing is sent yet."""
    workspace = request.workspace
    if request.method == "GET":
        require_settled(workspace, ref, services.TARGET)
    form = NewKeyForm(posted(request))
    try:
        known, name = side_by_side(lambda: services.read_key(workspace, ref), lambda: workspace.project_name(ref))
    except InterfaceError as failure:
        if not form.is_bound:
            raise
        drawn = {"ref": ref, "name": workspace.known_name(ref) or ref, "known": None, "form": keep(request, form)}
        return failed(request, failure, lambda status: page(request, "encryption/replacement.html", drawn, status=status))
    if form.is_bound and form.is_valid():
        generated = form.cleaned_data["source"] == GENERATE
        chosen = new_key() if generated else form.cleaned_data["key"]
        if not services.was_saved(workspace, ref, known.digest):
            form.add_error("saved", NOT_SAVED)
        if digest(chosen) == known.digest:
            form.add_error("key", "This is the current key.")
        if not form.errors:
            forget(request)
            drafted = Replacement(chosen, known.digest, lowered=form.lowered, generated=generated)
            return _see(ref, reviews.create(workspace, services.purpose_of(ref), drafted.payload()))
    context = {"ref": ref, "name": name, "known": known, "form": keep(request, form) if form.is_bound else form}
    return page(request, "encryption/replacement.html", context, status=status_of(form))


@require_http_methods(["GET", "POST"])
@never_cache
@with_workspace
@sends("M21")
def review(request: WorkspaceRequest, ref: str, review_id: UUID) -> HttpResponseBase:
    """GET: show the consequences, or the outcome once applied. POST: apply it, or review it again."""
    found = reviews.find(request.workspace, services.purpose_of(ref), review_id)
    if request.method == "POST" and request.POST.get("act") == "reopen":
        review_outcome.reopen(found, ref, services.TARGET)
        return _see(ref, found)
    if found.state == State.OPEN and found.payload is not None:
        return _open(request, ref, found)
    if request.method != "POST":
        return _outcome(request, ref, found)
    reviews.wait(found)
    return _see(ref, found)


@reviews_again("M21")
def replace_anew(workspace: Workspace, ref: str, kept: Wanted, known: Known) -> str:
    """Start a new review of a key that could not be sent again, and return its address."""
    drafted = Replacement(kept["key"], known.digest, generated=kept["generated"])
    review = reviews.create(workspace, services.purpose_of(ref), drafted.payload())
    return reverse("encryption:review", args=[ref, review.pk])


@fresh_sign_in
def _open(request: WorkspaceRequest, ref: str, review: Review) -> HttpResponse:
    workspace, chosen = request.workspace, Replacement(**(review.payload or {}))
    form = ConfirmationForm(posted(request), consequences=CONSEQUENCES, production=on_production(request))
    typed = confirmation_of(workspace, ref)
    problem = mismatch(request, typed=typed, count=None, production=False) if form.is_bound else None
    if problem:
        form.add_error(None, problem)
    if form.is_valid():
        known = services.read_key(workspace, ref)
        if not reviews.is_open(review):
            return _see(ref, review)
        problem = ValidationError(CHANGED, code=STALE) if known.digest != chosen.replaces else None
        problem = problem or review_outcome.apply(review, lambda: services.replace_key(workspace, ref, chosen))
        if not problem:
            return _see(ref, review)
        form.add_error(None, problem)
    context = {
        "ref": ref,
        "name": workspace.project_name(ref),
        "old": short(chosen.replaces),
        "new": fingerprint(chosen.key),
        "chosen": chosen,
        "form": form,
        "typed": typed,
        "typed_now": request.POST.get("typed", ""),
        "here": request.path,
    }
    return page(request, "encryption/review.html", context, status=status_of(form))


def _outcome(request: WorkspaceRequest, ref: str, review: Review) -> HttpResponse:
    """Show the outcome, judged by the key that the service has now."""
    workspace = request.workspace
    context: dict[str, object] = {"ref": ref, "review": review, "here": request.get_full_path()}
    if review.state in (State.DONE, State.UNKNOWN):
        read, name = side_by_side(lambda: services.read_back(workspace, ref), lambda: workspace.project_name(ref))
        found = services.result_of(workspace, ref, review, read)
        context |= {
            "result": found,
            "problem": problem_of(found.failure) if found.failure else None,
            "may_run": review.state == State.UNKNOWN and review_outcome.may_run(review, ref, services.TARGET),
            "can_reopen": review_outcome.can_reopen(review, ref, services.TARGET),
        }
    else:
        name = workspace.project_name(ref)
    context["name"] = name
    return page(request, "encryption/outcome.html", context, parts={"outcome": "encryption/_outcome.html"})


def _see(ref: str, review: Review) -> HttpResponse:
    return see_other(reverse("encryption:review", args=[ref, review.pk]))


@fresh_sign_in
def _reveal(request: WorkspaceRequest, ref: str) -> HttpResponse:
    is_copied = bool(request.htmx) and request.GET.get("as") == "copied"
    revealed = services.reveal(request.workspace, ref, Reveal.COPIED if is_copied else Reveal.SHOWN)
    name, back = request.workspace.known_name(ref) or ref, reverse("encryption:index", args=[ref])
    context = {"ref": ref, "name": name, "revealed": revealed, "back": back}
    partial = "encryption/_copied.html" if is_copied else "encryption/_shown.html"
    return page(request, "encryption/key.html", context, parts={KEY: partial})
