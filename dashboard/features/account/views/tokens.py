"""Tokens, name and sessions of one's own account."""

from collections.abc import Sequence
from functools import partial

from django.conf import settings
from django.contrib.auth import logout
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from dashboard.features.account import services
from dashboard.features.account.forms import ChosenSpaceForm, KeysForm, NameForm, TokenForm, TypedSpaceForm
from dashboard.interfaces.errors import InterfaceError
from dashboard.team.access import PersonRequest, signed_in
from dashboard.team.locked import While, stays_open
from dashboard.team.services import rename, sign_out_everywhere
from dashboard.team.sessions import latest_end
from dashboard.tokens import credentials as tokens
from dashboard.tokens import spaces
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.formats import BadToken
from dashboard.tokens.models import Kind, StoredToken
from dashboard.web.input.forms import posted
from dashboard.web.input.kept_text import forget_all
from dashboard.web.input.typed_secrets import keep
from dashboard.web.pages import notices
from dashboard.web.pages.answers import dialog, done, failed, page, submit
from dashboard.web.pages.confirm import confirm
from dashboard.web.pages.pagination import part_of
from dashboard.web.pages.places import known_name
from dashboard.web.text import counted

HOME = "account:tokens"


@stays_open(While.LOCKED)
@require_GET
@signed_in
def index(request: PersonRequest) -> HttpResponse:
    stored = services.tokens_of(request.user, has_management=bool(settings.MANAGEMENT_URL))
    context = {
        "tokens": stored,
        "page": part_of(request, stored.storage or []),
        "session_ends": latest_end(request.session),
        "until_closed": request.session.get_expire_at_browser_close(),
        "received": services.received_by(request.user, name=partial(known_name, request)),
    }
    return page(request, "account/index.html", context, parts={"tokens": "account/_tokens.html", "you": "account/_you.html"})


@require_http_methods(["GET", "POST"])
@with_workspace
def setup(request: WorkspaceRequest) -> HttpResponse:
    """Set up the first tokens on one page: the management token, its projects, their keys. Each can be skipped."""
    data = posted(request)
    if settings.MANAGEMENT_URL and not request.workspace.has(Kind.MANAGEMENT):
        first = TokenForm(data, prefix="management")
        first.fields["token"].widget.attrs["autofocus"] = True
        return _store_first(request, first) or _setup(request, first=first, status=422 if data else 200)
    try:
        missing = [(space.name, space.title) for space in request.workspace.spaces() if not space.has_token]
    except InterfaceError as failure:
        if not data:
            raise
        keys = KeysForm(data, spaces=None)
        return failed(request, failure, lambda status: _setup(request, keys=keys, status=status))
    keys = KeysForm(data, spaces=missing)
    answer = _store_keys(request, keys)
    left = [(space, title) for space, title in missing if space not in keys.pasted]
    return answer or _setup(request, keys=keys if missing else None, missing=left, status=422 if data else 200)


def _setup(
    request: WorkspaceRequest,
    *,
    first: TokenForm | None = None,
    keys: KeysForm | None = None,
    missing: Sequence[tuple[str, str]] = (),
    status: int,
) -> HttpResponse:
    form = first or keys
    if form and form.is_bound:
        keep(request, form)
    stored = services.tokens_of(request.user, has_management=bool(settings.MANAGEMENT_URL))
    context = {"first": first, "keys": keys, "missing": missing, "tokens": stored}
    return page(request, "account/setup.html", context, status=status)


@require_http_methods(["GET", "POST"])
@with_workspace
def token_new(request: WorkspaceRequest) -> HttpResponse:
    """Add a token: `?kind=management`, or `?kind=storage` with `&space=…` or a choice of projects without a token."""
    kind, space = _asked_for(request)
    form = _token_form(request, kind, space)
    if isinstance(form, ChosenSpaceForm) and not form.has_choice:
        is_empty = not request.workspace.spaces()
        title = "No projects yet" if is_empty else "Every project has a token"
        return dialog(request, "account/_all_stored.html", {"title": title, "is_empty": is_empty, "back": reverse(HOME)})
    name = spaces.token_name(kind, space, known_name(request, space))
    return _store(request, form, kind, space, title=f"Add the {name}", button="Store token")


@require_http_methods(["GET", "POST"])
@signed_in
def replacement(request: PersonRequest, token_id: int) -> HttpResponse:
    token = _own(request, token_id)
    form = TokenForm(posted(request))
    title = f"Replace the {_named(request, token)}"
    return _store(request, form, token.kind, token.space, title=title, button="Replace token")


@require_POST
@signed_in
def check(request: PersonRequest, token_id: int) -> HttpResponse:
    """Check a stored token with the service."""
    token = tokens.check_again(_own(request, token_id))
    name = _named(request, token)
    if token.is_refused:
        return _refused(request, notices.Notice(f"The service refused the {name}.", tone="danger"))
    return done(request, f"The {name} works: {services.reach_text(token)}.", changed="tokens", to=reverse(HOME))


@require_http_methods(["GET", "POST"])
@signed_in
def forgetting(request: PersonRequest, token_id: int) -> HttpResponse:
    token = _own(request, token_id)
    name = _named(request, token)
    return confirm(
        request,
        title=f"Forget the {name}",
        button="Forget token",
        consequences=[
            f"Pilothouse deletes its copy (…{token.last4}).",
            "The token stays valid until you revoke it at the service.",
        ],
        perform=lambda: tokens.forget(request.user, token),
        then=lambda _: done(request, f"{name[:1].upper()}{name[1:]} forgotten.", changed="tokens", to=reverse(HOME)),
        back=reverse(HOME),
    )


@require_http_methods(["GET", "POST"])
@signed_in
def name(request: PersonRequest) -> HttpResponse:
    form = NameForm(request.POST or None, initial={"name": request.user.name})
    return submit(
        request,
        form,
        perform=lambda: rename(request.user, form.cleaned_data["name"]),
        then=lambda _: done(request, "Name changed.", changed="you", to=reverse(HOME)),
        context={"title": "Your name", "button": "Change name", "back": reverse(HOME)},
    )


@require_http_methods(["GET", "POST"])
@signed_in
def sessions(request: PersonRequest) -> HttpResponse:
    """Sign out everywhere, including here."""

    def end() -> None:
        sign_out_everywhere(request.user)
        logout(request)

    def then(_: None) -> HttpResponse:
        response = done(request, "Signed out everywhere.", to=reverse("account_login"))
        forget_all(response)
        return response

    return confirm(
        request,
        title="Sign out everywhere",
        button="Sign out everywhere",
        consequences=[
            "You are signed out in this browser and all others.",
            "Your password and tokens stay.",
        ],
        perform=end,
        then=then,
        back=reverse(HOME),
        danger=False,
    )


def _store(request: PersonRequest, form: TokenForm, kind: str, space: str, *, title: str, button: str) -> HttpResponse:
    has_own_keys = bool(settings.SANDBOX_URL and kind == Kind.STORAGE)
    if has_own_keys:
        form.leave_empty("Leave empty to use the sandbox's own token.")

    def perform() -> StoredToken:
        chosen, pasted = form.cleaned_data.get("space", space), form.cleaned_data["token"]
        if has_own_keys and not pasted:
            return tokens.store_from_sandbox(request.user, chosen)
        try:
            return tokens.store(request.user, kind, chosen, pasted)
        except BadToken as refused:
            raise ValidationError({"token": [refused]}) from None

    def then(token: StoredToken) -> HttpResponse:
        to = reverse("home:index") if kind == Kind.MANAGEMENT else reverse("buckets:index", args=[token.space])
        link = ("Show projects" if kind == Kind.MANAGEMENT else "Show buckets", to)
        return done(request, f"Token stored: {services.reach_text(token)}.", changed="tokens", to=reverse(HOME), link=link)

    context = {
        "title": title,
        "button": button,
        "back": reverse(HOME),
        "kind": kind,
        "sandbox": settings.SANDBOX_URL,
    }
    return submit(request, form, "account/_token.html", perform=perform, then=then, context=context)


def _asked_for(request: WorkspaceRequest) -> tuple[str, str]:
    kind, space = request.GET.get("kind", ""), request.GET.get("space", "")
    if kind == Kind.MANAGEMENT and settings.MANAGEMENT_URL:
        return kind, ""
    if kind != Kind.STORAGE or spaces.mode() == "none" or (space and not spaces.can_be(space)):
        raise Http404("This installation has no such tokens.")
    return kind, spaces.SHARED if spaces.mode() == "single" else space


def _token_form(request: WorkspaceRequest, kind: str, space: str) -> TokenForm:
    data = posted(request)
    if kind == Kind.MANAGEMENT or space:
        return TokenForm(data)
    if settings.MANAGEMENT_URL:
        return ChosenSpaceForm(data, choices=services.open_spaces(request.workspace))
    return TypedSpaceForm(data)


def _store_first(request: WorkspaceRequest, form: TokenForm) -> HttpResponse | None:
    """Store the management token and continue with the projects; None if nothing was stored."""
    if not form.is_valid():
        return None
    try:
        token = tokens.store(request.user, Kind.MANAGEMENT, "", form.cleaned_data["token"])
    except ValidationError as refused:
        form.add_error("token", refused)
        return None
    return done(request, f"Token stored: {services.reach_text(token)}.", to=reverse("account:setup"))


def _store_keys(request: WorkspaceRequest, form: KeysForm) -> HttpResponse | None:
    """Store the pasted tokens. Return None if one was refused; the others are stored even then."""
    if not form.is_bound:
        return None
    form.full_clean()
    for space, reason in services.store_keys(request.user, form.pasted).items():
        form.refuse(space, reason)
    stored = len(form.pasted)
    outcome = f"{counted(stored, 'token')} stored." if stored else "No tokens entered."
    if not form.errors:
        return done(request, outcome, to=reverse("home:index"))
    if stored:
        notices.say(request, notices.Notice(outcome))
    return None


def _refused(request: PersonRequest, notice: notices.Notice) -> HttpResponse:
    if not request.htmx:
        notices.say(request, notice)
        return redirect(HOME)
    response = HttpResponse(notices.fragment(request, notice))
    response["HX-Trigger"] = "tokens:changed"
    response["HX-Reswap"] = "none"
    return response


def _named(request: PersonRequest, token: StoredToken) -> str:
    known = known_name(request, token.space)
    return spaces.token_name(token.kind, token.space, token.reach.get("project", "") if known in ("", token.space) else known)


def _own(request: PersonRequest, token_id: int) -> StoredToken:
    return get_object_or_404(StoredToken, pk=token_id, person=request.user)
