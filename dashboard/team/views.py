"""Dialogs about people of the team, and the password reset page."""

from typing import Any, cast

from allauth.account import views as allauth_views
from allauth.account.internal.decorators import login_stage_required
from allauth.mfa.stages import AuthenticateStage
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from dashboard.team import factors, services
from dashboard.team.access import PersonRequest, signed_in
from dashboard.team.attempts import count_reset
from dashboard.team.forms import HandoverForm, PersonForm, RoleForm
from dashboard.team.gate import fresh_sign_in
from dashboard.team.links import days_valid
from dashboard.team.mail import mails
from dashboard.team.models import Person
from dashboard.team.rights import needs
from dashboard.web.http.requests import public_address
from dashboard.web.limits.throttle import TooMany
from dashboard.web.pages.answers import dialog, done, page, submit
from dashboard.web.pages.confirm import confirm

PEOPLE = "people:index"


@require_http_methods(["GET", "POST"])
@signed_in
@fresh_sign_in
@needs("person added")
def new(request: PersonRequest) -> HttpResponse:
    form = PersonForm(request.POST or None)

    def then(added: tuple[Person, str]) -> HttpResponse:
        person, link = added
        return _show_link(request, person, link, title=f"{person} added", is_new=True)

    return submit(
        request,
        form,
        "team/_new.html",
        perform=lambda: services.add(request.user, **form.cleaned_data, base_url=public_address(request)),
        then=then,
        context={"title": "Add person", "back": reverse(PEOPLE), "mails": mails()},
    )


@require_http_methods(["GET", "POST"])
@signed_in
@fresh_sign_in
@needs("link made")
def link(request: PersonRequest, person_id: int) -> HttpResponse:
    """Create a new one-time link for somebody who lost their link or password."""
    person = get_object_or_404(Person, pk=person_id)
    return confirm(
        request,
        title=f"New link for {person}",
        button="Create link",
        consequences=[
            f"{person} can set a new password with it, once, within {days_valid()} days.",
            "Earlier links stop working. The current password works until then.",
        ],
        perform=lambda: services.new_link(request.user, person, base_url=public_address(request)),
        then=lambda link: _show_link(request, person, link, title=f"Link for {person}"),
        back=_page_of(person),
        danger=False,
    )


@require_http_methods(["GET", "POST"])
@signed_in
@fresh_sign_in
@needs("role changed")
def role(request: PersonRequest, person_id: int) -> HttpResponse:
    person = get_object_or_404(Person, pk=person_id)
    form = RoleForm(request.POST or None, initial={"role": person.role})
    return submit(
        request,
        form,
        perform=lambda: services.change_role(request.user, person, form.cleaned_data["role"]),
        then=lambda _: done(request, f"Role of {person} changed.", changed="people", to=_page_of(person)),
        context={"title": f"Role of {person}", "button": "Change role", "back": _page_of(person)},
    )


@require_http_methods(["GET", "POST"])
@signed_in
@fresh_sign_in
@needs("person deactivated")
def deactivation(request: PersonRequest, person_id: int) -> HttpResponse:
    person = get_object_or_404(Person, pk=person_id, is_active=True)
    return confirm(
        request,
        title=f"Deactivate {person}",
        button=f"Deactivate {person}",
        consequences=[
            "Their sessions end now, their links stop working, and they can't sign in.",
            "Their stored tokens stay encrypted and unused. To end those too, revoke them at the service.",
            "Jobs and automatic checks of theirs stop. You can hand them and the links over to somebody else.",
            "Their activity is kept. You can reactivate them at any time.",
        ],
        typed=person.email,
        perform=lambda: services.deactivate(request.user, person),
        then=lambda _: done(request, f"{person} deactivated.", changed="people", to=_page_of(person)),
        back=_page_of(person),
    )


@require_http_methods(["GET", "POST"])
@signed_in
@fresh_sign_in
@needs("person reactivated")
def activation(request: PersonRequest, person_id: int) -> HttpResponse:
    person = get_object_or_404(Person, pk=person_id, is_active=False)
    return confirm(
        request,
        title=f"Reactivate {person}",
        button=f"Reactivate {person}",
        consequences=[
            "They can sign in again with their password and use their stored tokens.",
            *services.returning(request.user, person),
        ],
        perform=lambda: services.reactivate(request.user, person),
        then=lambda _: done(request, f"{person} reactivated.", changed="people", to=_page_of(person)),
        back=_page_of(person),
        danger=False,
    )


@require_http_methods(["GET", "POST"])
@signed_in
@fresh_sign_in
@needs("handed over")
def handover(request: PersonRequest, person_id: int) -> HttpResponse:
    """Transfer a person's share links, jobs and automatic checks to somebody else."""
    person = get_object_or_404(Person, pk=person_id)
    form = HandoverForm(request.POST or None, person=person)

    def then(outcome: tuple[list[str], list[str]]) -> HttpResponse:
        moved, left = outcome
        message = f"Handed over to {form.cleaned_data['receiver']}: {', '.join(moved)}."
        message += f" Not handed over: {', '.join(left)}." if left else ""
        return done(request, message, changed="people", to=_page_of(person))

    return submit(
        request,
        form,
        "team/_handover.html",
        perform=lambda: services.hand_over(request.user, person, form.cleaned_data["receiver"]),
        then=then,
        context={
            "title": f"Hand over from {person}",
            "possessions": services.possessions_of(person),
            "back": _page_of(person),
        },
    )


def _page_of(person: Person) -> str:
    return reverse("people:person", args=[person.pk])


@login_not_required
def password_reset(request: HttpRequest) -> HttpResponseBase:
    """Mail a reset link, or explain whom to ask if mail is not set up."""
    if mails():
        if request.method == "POST":
            try:
                count_reset(request, request.POST.get("email", ""))
            except TooMany as many:
                barred = render(request, "429.html", status=429)
                barred["Retry-After"] = str(many.seconds)
                return barred
        response: HttpResponseBase = allauth_views.password_reset(request)
        return response
    return page(request, "account/password_reset_ask.html")


@require_GET
@login_stage_required(stage=AuthenticateStage.key, redirect_urlname="account_login")  # type: ignore[untyped-decorator] # allauth carries no types
def factor_challenge(request: HttpRequest) -> JsonResponse:
    """Return what the browser needs to prove a passkey as the second step of a sign-in."""
    person = cast("Any", request)._login_stage.login.user  # noqa: SLF001 - set by allauth's decorator
    return JsonResponse(factors.begin_check(person))


def _show_link(request: PersonRequest, person: Person, address: str, *, title: str, is_new: bool = False) -> HttpResponse:
    context = {
        "title": title,
        "person": person,
        "link": address,
        "days": days_valid(),
        "mailed": mails(),
        "is_new": is_new,
        "back": _page_of(person),
    }
    response = dialog(request, "team/_link.html", context)
    if request.htmx:
        response["HX-Trigger"] = "people:changed"
    return response
