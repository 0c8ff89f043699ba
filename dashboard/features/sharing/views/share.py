"""Change the terms of a share link, end it, open it again."""

from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from dashboard.features.sharing.forms.share import EditForm
from dashboard.features.sharing.services.addresses import address_of
from dashboard.links import ledger, lifecycle
from dashboard.links.ledger import name_of
from dashboard.links.models import Share
from dashboard.team.access import PersonRequest, signed_in
from dashboard.web.answers import done, submit
from dashboard.web.confirm import confirm


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def edit(request: PersonRequest, share_id: int) -> HttpResponse:
    """End, password, limit, note; the address stays. Its owner can copy the address again here."""
    share = _share(request, share_id)
    is_mine = share.owner_id == request.user.pk
    form = EditForm(request.POST or None, share=share, is_mine=is_mine)
    code = lifecycle.code_of(share) if is_mine else ""
    return submit(
        request,
        form,
        "sharing/_edit.html",
        perform=lambda: lifecycle.change(request.user, share, form.terms),
        then=lambda _: done(request, "Link changed. Its address stays.", changed="links", to=reverse("sharing:ledger")),
        context={
            "title": f"Link to {name_of(share)}",
            "lead": _lead(share, is_mine=is_mine),
            "address": address_of(request, code) if code else "",
            "back": reverse("sharing:ledger"),
        },
    )


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def end(request: PersonRequest, share_id: int) -> HttpResponse:
    """At once, and it can be undone."""
    share = _share(request, share_id)
    undo = reverse("sharing:reopen", args=(share.pk,))
    return confirm(
        request,
        title=f"End the link to {name_of(share)}",
        button="End the link",
        consequences=[
            "From now on its address opens nothing. A download that has begun through Pilothouse breaks off.",
            "You can open it again under the same address.",
        ],
        perform=lambda: lifecycle.end(request.user, Share.objects.filter(pk=share.pk)),
        then=lambda _: done(
            request, f"Link to {name_of(share)} ended.", changed="links", to=reverse("sharing:ledger"), undo=undo
        ),
        back=reverse("sharing:ledger"),
        danger=False,
    )


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def reopen(request: PersonRequest, share_id: int) -> HttpResponse:
    """The undo of `end`."""
    share = _share(request, share_id)
    return confirm(
        request,
        title=f"Open the link to {name_of(share)} again",
        button="Open it again",
        consequences=["The same address works again until its end."],
        perform=lambda: _reopen(request, share),
        then=lambda _: done(request, f"Link to {name_of(share)} opened again.", changed="links", to=reverse("sharing:ledger")),
        back=reverse("sharing:ledger"),
        danger=False,
    )


def _reopen(request: PersonRequest, share: Share) -> None:
    if not lifecycle.reopen(request.user, Share.objects.filter(pk=share.pk)):
        raise ValidationError("Only the person who ended this link can open it again.")


def _lead(share: Share, *, is_mine: bool) -> str:
    if share.revoked_at:
        return "It was ended. What you change here holds once it is opened again."
    return "" if is_mine else f"This is {share.owner}'s link: you can make it stricter, or end it."


def _share(request: PersonRequest, share_id: int) -> Share:
    share = ledger.visible(request.user).filter(pk=share_id).first()
    if share is None:
        raise Http404("There is no such link, or it is not yours.")
    return share
