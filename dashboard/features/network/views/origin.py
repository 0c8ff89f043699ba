"""The person's own address, and the form to state it."""

from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from dashboard.facts import addresses
from dashboard.facts.addresses import Origin
from dashboard.features.network.forms import OriginForm
from dashboard.team.access import PersonRequest, signed_in
from dashboard.web.http.requests import client_address
from dashboard.web.input.forms import posted
from dashboard.web.pages.answers import done, submit


@require_http_methods(["GET", "POST"])
@signed_in
def edit(request: PersonRequest) -> HttpResponse:
    """State or remove one's public address. Calls no service."""
    person = request.user
    data = posted(request)
    # The page below the dialog may have a field with the same name.
    form = OriginForm(data, initial={"address": person.public_address or ""}, auto_id="origin_%s")

    def perform() -> None:
        person.public_address = form.cleaned_data["address"] or None
        person.save(update_fields=("public_address",))

    def then(_: None) -> HttpResponse:
        message = f"Public address {person.public_address} saved." if person.public_address else "Public address removed."
        return done(request, message, changed=["origin", "you"], to=reverse("account:tokens"))

    context = {"title": "Your public IP", "back": reverse("account:tokens"), "button": "Save address"}
    return submit(request, form, perform=perform, then=then, context=context)


def origin_of(request: PersonRequest) -> Origin:
    return addresses.origin_of(client_address(request), request.user.public_address)
