"""A new link to the DNS records of a hostname, for whoever owns the DNS."""

from django.http import Http404, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from dashboard.features.sharing.forms.share import PageForm
from dashboard.features.sharing.services.addresses import address_of
from dashboard.links.lifecycle import make_page
from dashboard.links.models import Share
from dashboard.links.pages import page_of
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.answers import dialog, submit

KIND = Share.Kind.HOSTNAME


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
def new(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """Asks for the terms, then makes the link, and gives a letter to go with it. Needs a hostname that is set up."""
    request.workspace.require("management")
    shared = page_of(KIND)
    name = shared.find(request.workspace, ref) if shared else ""
    if shared is None or not name:
        raise Http404("No custom hostname is set up.")
    back = reverse("hostname:index", args=(ref,))
    form = PageForm(request.POST if request.method == "POST" else None)

    def finish(made: tuple[Share, str]) -> HttpResponse:
        share, code = made
        address = address_of(request, code)
        context = {
            "title": "The link is ready",
            "share": share,
            "address": address,
            "mail": shared.mail(request.workspace, share, address),
            "back": back,
        }
        response = dialog(request, "sharing/_made_page.html", context)
        response["HX-Trigger"] = "links:changed"
        return response

    return submit(
        request,
        form,
        "sharing/_new_page.html",
        perform=lambda: make_page(request.user, KIND, ref, name, form.terms),
        then=finish,
        context={
            "title": f"Share instructions for {name}",
            "lead": "Whoever has the address sees the DNS records of this hostname and how they stand, and nothing else of the "
            "project. Nobody has to sign in, and nothing can be changed there.",
            "back": back,
        },
    )
