"""The page of a locked account: prove that it is yours, then choose a new password."""

from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from dashboard.journal import queries
from dashboard.team import ceremony, providers
from dashboard.team.access import PersonRequest, signed_in
from dashboard.team.forms import CodeForm, CredentialForm, FormerPasswordForm, MailedCodeForm, NewPasswordForm, StartOverForm
from dashboard.team.locked import While, stays_open
from dashboard.web.http.headers import allow_forms_to
from dashboard.web.input.forms import Form, posted
from dashboard.web.pages import notices
from dashboard.web.pages.answers import done, page, submit
from dashboard.web.pages.places import known_name

HOME, LOCK = "account:tokens", "account:lock"
# The form and its field for each proof.
FORMS: dict[str, type[Form]] = {
    "password": FormerPasswordForm,
    "passkey": CredentialForm,
    "code": CodeForm,
    "mailed": MailedCodeForm,
}
FIELDS = {"password": "password", "passkey": "credential", "code": "code", "mailed": "mailed"}
MOST_LISTED = 100


@stays_open(While.LOCKED)
@require_http_methods(["GET", "POST"])
@signed_in
def index(request: PersonRequest) -> HttpResponse:
    """Ask for a proof from before the lock, then for a new password."""
    if not request.user.is_locked:
        return redirect(HOME)
    if request.method != "POST":
        return _choose(request) if ceremony.is_proved(request) else _ask(request)
    by = next((name for name, field in FIELDS.items() if field in request.POST), "password")
    form = FORMS[by](request.POST)
    if form.is_valid():
        try:
            ceremony.prove(request, by, form.cleaned_data[FIELDS[by]])
        except ValidationError as refused:
            form.add_error(FIELDS[by], refused)
    return _ask(request, {by: form}) if form.errors else redirect(LOCK)


@stays_open(While.LOCKED)
@require_POST
@signed_in
def mailing(request: PersonRequest) -> HttpResponse:
    """Mail a code to the person's own address."""
    if request.user.is_locked and ceremony.ways_of(request.user).mail:
        try:
            ceremony.mail_code(request)
        except ValidationError as refused:
            notices.say(request, notices.Notice(" ".join(refused.messages), tone="danger"))
        else:
            notices.say(request, notices.Notice(f"A code was mailed to {request.user.email}."))
    return redirect(LOCK)


@stays_open(While.LOCKED)
@require_POST
@signed_in
def password(request: PersonRequest) -> HttpResponse:
    """Unlock the account with a new password, after a proof."""
    if not request.user.is_locked or not ceremony.is_proved(request):
        return redirect(LOCK)
    form = NewPasswordForm(request.POST, person=request.user)
    if form.is_valid():
        try:
            ceremony.unlock(request, form.cleaned_data["password"])
        except ValidationError as refused:
            form.add_error(None, refused)
        else:
            return done(request, "Account unlocked. All other sessions ended.", to=reverse(HOME))
    return _choose(request, form)


@stays_open(While.LOCKED)
@require_http_methods(["GET", "POST"])
@signed_in
def start_over(request: PersonRequest) -> HttpResponse:
    """Start over without a proof: the account loses everything it had."""
    if not ceremony.may_start_over(request):
        return redirect(LOCK)
    form = StartOverForm(posted(request), person=request.user)
    return submit(
        request,
        form,
        "account/_start_over.html",
        perform=lambda: ceremony.start_over(request, form.cleaned_data["password"]),
        then=lambda _: done(request, "Account started over. All other sessions ended.", to=reverse(HOME)),
        context={"title": "Start over", "back": reverse(LOCK)},
    )


def _ask(request: PersonRequest, bound: dict[str, Form] | None = None) -> HttpResponse:
    ways, provider = ceremony.ways_of(request.user), providers.provider()
    context = {
        "ways": ways,
        "forms": {by: (bound or {}).get(by) or form() for by, form in FORMS.items()},
        "is_mailed": ceremony.CODE in request.session,
        "provider": provider,
        "may_start_over": ceremony.may_start_over(request),
    }
    response = page(request, "account/lock.html", context, status=422 if bound else 200)
    return allow_forms_to(response, provider.origin) if provider and ways.provider else response


def _choose(request: PersonRequest, form: NewPasswordForm | None = None) -> HttpResponse:
    entries = ceremony.since(request.user)
    found = entries.select_related("person", "through")[:MOST_LISTED]
    context = {
        "form": form or NewPasswordForm(None, person=request.user),
        "more": max(0, entries.count() - MOST_LISTED),
        "rows": queries.rows(found, name=lambda place: known_name(request, place), joins=False),
    }
    return page(request, "account/unlock.html", context, status=422 if form else 200)
