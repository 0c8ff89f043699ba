"""The page that knows a fingerprint only, and the three ways to get the key itself."""

from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from dashboard.features.encryption import services
from dashboard.features.encryption.services import Handed
from dashboard.jobs.settlement import is_being_checked, observe
from dashboard.team.gate import fresh_sign_in
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.project_names import project_name
from dashboard.web.answers import page
from dashboard.web.downloads import send
from dashboard.web.parallel import side_by_side

PLACE = "root-key"


@require_GET
@with_workspace
def index(request: WorkspaceRequest, ref: str) -> HttpResponse:
    workspace = request.workspace
    known, name = side_by_side(lambda: services.read_key(workspace, ref), lambda: project_name(workspace, ref))
    observe(workspace, ref, known, "M21")
    checking = is_being_checked(ref, services.TARGET)
    return page(request, "encryption/index.html", {"ref": ref, "name": name, "known": known, "checking": checking})


@require_http_methods(["GET", "POST"])
@never_cache
@with_workspace
def key(request: WorkspaceRequest, ref: str) -> HttpResponseBase:
    """POST hands the key out; GET, for htmx, hides it again without asking the service."""
    if request.method == "POST":
        return _hand_out(request, ref)
    if not request.htmx:
        return redirect("encryption:index", ref)
    return page(request, "encryption/_hidden.html", {"ref": ref})


@require_POST
@never_cache
@with_workspace
@fresh_sign_in
def file(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """The key as a text file."""
    handout = services.hand_out(request.workspace, ref, Handed.SAVED)
    lines = (
        f"Encryption root key of the project {ref}",
        f"Saved on {timezone.now():%Y-%m-%d %H:%M:%S} UTC by {request.user.email}",
        f"Fingerprint (SHA-256 of the 64 characters, its first 16): {handout.fingerprint}",
        "",
        handout.key,
        "",
    )
    return send("\n".join(lines).encode(), filename=f"root-key-{ref}.txt")


@fresh_sign_in
def _hand_out(request: WorkspaceRequest, ref: str) -> HttpResponse:
    copied = bool(request.htmx) and request.GET.get("as") == "copied"
    handout = services.hand_out(request.workspace, ref, Handed.COPIED if copied else Handed.SHOWN)
    context = {"ref": ref, "handout": handout, "back": reverse("encryption:index", args=[ref])}
    return page(
        request, "encryption/shown.html", context, parts={PLACE: "encryption/_ready.html" if copied else "encryption/_shown.html"}
    )
