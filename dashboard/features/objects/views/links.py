"""Presigned links to give away."""

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from dashboard.catalog.keys import folder_of, name_of, printable
from dashboard.catalog.selection import Selection, read_selection
from dashboard.features.objects.forms import LinkForm, chosen_keys
from dashboard.features.objects.services.browse import Query
from dashboard.features.objects.services.links import AT_ONCE, Given, give_links
from dashboard.features.objects.views.rows import bucket_address
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.answers import dialog, submit


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
def new(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Asks for the end, then S15. A selection arrives as `key` (boxes of the list, or an address), then as `keys` (the form)."""
    base = request.workspace.storage_public_url(space)
    if request.method == "POST" and _is_much(read_selection(space, bucket, request.POST)):
        return HttpResponseRedirect(reverse("sharing:desk", args=(space, bucket)), status=307)
    chosen = (request.POST if "key" in request.POST else request.GET).getlist("key")
    bound = request.method == "POST" and "keys" in request.POST
    form = LinkForm(request.POST) if bound else LinkForm(initial={"keys": chosen})
    keys = chosen_keys(request.POST["keys"]) if bound else chosen
    context = {
        **_words(space, bucket, keys),
        "lead": "Anyone who has such an address can open the object until its end. It can't be taken back before.",
    }
    if base is None or (not keys and not bound):
        return dialog(request, "objects/_no_links.html", {**context, "lead": "", "unreachable": base is None})

    def finish(given: Given) -> HttpResponse:
        return dialog(request, "objects/_links.html", {**context, "lead": "", **_result(given)})

    return submit(
        request,
        form,
        "objects/_links_form.html",
        perform=lambda: give_links(
            request.workspace, space, bucket, form.cleaned_data["keys"], ends_at=form.cleaned_data["ends_at"], base=base
        ),
        then=finish,
        context=context,
    )


def _is_much(selection: Selection) -> bool:
    """More than one request signs, or it has to be counted first: that is done at the sign desk."""
    return bool(selection.folders or selection.filter) or len(selection.keys) > AT_ONCE


def _words(space: str, bucket: str, keys: list[str]) -> dict[str, object]:
    back = bucket_address(space, bucket)
    if len(keys) == 1:
        back += Query(path=folder_of(keys[0])).text()
        return {"title": f"Presigned link for {printable(name_of(keys[0]))}", "count": 1, "back": back}
    return {
        "title": f"Presigned links for {len(keys):,} objects" if keys else "Presigned links",
        "count": len(keys),
        "back": back,
    }


def _result(given: Given) -> dict[str, object]:
    good, refused = given.good, given.refused
    made = "The link is" if len(good) == 1 else f"{len(good):,} links are"
    return {
        "title": f"{made} ready" if good else "No link could be made",
        "good": good,
        "refused": refused,
        "ends_at": given.ends_at,
        "lines": "\n".join(link.address for link in good),
        "wide": True,
    }
