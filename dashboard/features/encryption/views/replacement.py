"""Another root key: the present one saved, a new one chosen, the consequences ticked, sent once, read back."""

from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from dashboard.features.encryption import services
from dashboard.features.encryption.forms import GENERATE, CeremonyForm, NewKeyForm
from dashboard.features.encryption.rules import Replacement, TooLate, fingerprint, new_key, short
from dashboard.interfaces.errors import Effect, InterfaceError
from dashboard.jobs.settlement import require_settled
from dashboard.journal.recorder import digest
from dashboard.team.gate import fresh_sign_in
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.project_names import project_name
from dashboard.web import notices
from dashboard.web.answers import page, repeat
from dashboard.web.confirm import on_production
from dashboard.web.idempotency import Outcome, once, remember
from dashboard.web.parallel import side_by_side
from dashboard.web.problems import problem_of, sentence

CONSEQUENCES = (
    "From then on nothing that this project encrypted with the present key, in its vault or in columns, can be read.",
    "Only the present key, put back, makes it readable again. The service gives no older key out, and Pilothouse keeps none.",
    "Backups made until now need the present key. It has to be kept for as long as they are.",
)
NOT_SAVED = "The present key was not shown, copied or saved by you within the last hour. Save it first."
TOO_LATE = "The new key was kept for half an hour and is forgotten. Nothing was sent. Start again."


@require_http_methods(["GET", "POST"])
@never_cache
@with_workspace
@fresh_sign_in
def replacement(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """The first step. A POST shows the second one, with the new key sealed in its form; nothing is sent."""
    workspace = request.workspace
    require_settled(workspace, ref, services.TARGET)
    form = NewKeyForm(request.POST if request.method == "POST" else None)
    known, name = side_by_side(lambda: services.read_key(workspace, ref), lambda: project_name(workspace, ref))
    if form.is_bound and form.is_valid():
        made = form.cleaned_data["source"] == GENERATE
        chosen = new_key() if made else form.cleaned_data["key"]
        if not services.was_saved(workspace, ref, known.digest):
            form.add_error("saved", NOT_SAVED)
        if digest(chosen) == known.digest:
            form.add_error("key", "This is the present key.")
        if not form.errors:
            return _ceremony(request, ref, name, Replacement(chosen, known.digest, lowered=form.lowered, made=made))
    context = {"ref": ref, "name": name, "known": known, "form": form}
    return page(request, "encryption/replacement.html", context, status=422 if form.is_bound else 200)


@require_http_methods(["GET", "POST"])
@never_cache
@with_workspace
@fresh_sign_in
def confirmation(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """The second step: everything ticked and typed, the key is sent, once."""
    if request.method == "GET":
        return redirect("encryption:replacement", ref)
    workspace = request.workspace
    try:
        chosen = Replacement.opened(request.POST.get("sealed", ""), owner=request.user.pk, ref=ref)
    except TooLate:
        notices.say(request, notices.Notice(TOO_LATE, tone="danger"))
        return redirect("encryption:replacement", ref)
    form = CeremonyForm(request.POST, ref=ref, consequences=CONSEQUENCES, production=on_production(request))
    if not form.is_valid():
        return _ceremony(request, ref, project_name(workspace, ref), chosen, form)

    def act() -> HttpResponse:
        try:
            services.require_unchanged(workspace, ref, chosen.replaces)
            entry = services.replace_key(workspace, ref, chosen)
        except ValidationError as changed:
            form.add_error(None, changed)
        except InterfaceError as refusal:
            if refusal.effect is Effect.UNKNOWN:
                raise
            form.add_error(None, f"{problem_of(refusal).title}. {sentence(refusal)} The root key was not replaced.")
        else:
            return _to_result(ref, entry)
        return _ceremony(request, ref, ref, chosen, form)

    return once(request, act, lambda outcome: repeat(request, outcome))


@require_GET
@never_cache
@with_workspace
def result(request: WorkspaceRequest, ref: str, entry_id: int) -> HttpResponse:
    """What came of it, read from the service anew each time."""
    workspace = request.workspace
    entry = services.find_replacement(workspace, ref, entry_id)
    read, name = side_by_side(lambda: services.read_back(workspace, ref), lambda: project_name(workspace, ref))
    found = services.result_of(workspace, entry, read)
    problem = problem_of(found.failure) if found.failure else None
    context = {"ref": ref, "name": name, "result": found, "problem": problem, "here": request.get_full_path()}
    return page(request, "encryption/result.html", context, parts={"result": "encryption/_result.html"})


def _ceremony(
    request: WorkspaceRequest, ref: str, name: str, chosen: Replacement, form: CeremonyForm | None = None
) -> HttpResponse:
    context = {
        "ref": ref,
        "name": name,
        "old": short(chosen.replaces),
        "new": fingerprint(chosen.key),
        "chosen": chosen,
        "sealed": chosen.sealed(owner=request.user.pk, ref=ref),
        "form": form or CeremonyForm(None, ref=ref, consequences=CONSEQUENCES, production=on_production(request)),
    }
    return page(request, "encryption/confirmation.html", context, status=422 if form else 200)


def _to_result(ref: str, entry: int) -> HttpResponse:
    """To the page that says what came of it, also when the same form is sent again."""
    to = reverse("encryption:result", args=[ref, entry])
    response = redirect(to)
    response.status_code = 303
    remember(response, Outcome(message="This was sent before.", tone="info", changed=[], to=to, link=[]))
    return response
