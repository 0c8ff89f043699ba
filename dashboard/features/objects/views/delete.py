"""Deleting one object, or a selection."""

from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from dashboard.catalog.keys import folder_of, name_of, printable
from dashboard.features.objects.forms import MOST_KEYS, SelectionForm, chosen_keys
from dashboard.features.objects.services.browse import Query
from dashboard.features.objects.services.delete import Removed, remove, remove_many
from dashboard.features.objects.views.rows import bucket_address
from dashboard.links import follow, ledger
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.answers import dialog, done, submit
from dashboard.web.confirm import confirm
from dashboard.web.text import bytes_text


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
def delete(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """S7, after one question that names the object."""
    key = request.GET.get("key", "")
    if not key:
        raise Http404("No object is named.")
    back = bucket_address(space, bucket) + Query(path=folder_of(key)).text()
    name = printable(name_of(key)) or printable(key)
    return confirm(
        request,
        title=f"Delete {name}",
        button=f"Delete {name}",
        consequences=[
            f"The object {printable(key)} is removed from {bucket}. It can't be brought back.",
            f"{_links(request, space, bucket, [key])} Presigned links to it stop working.",
        ],
        perform=lambda: remove(request.workspace, space, bucket, key),
        then=lambda _: done(request, f"{name} deleted.", changed="objects", to=back),
        back=back,
    )


@require_http_methods(["POST"])
@with_workspace
def delete_selection(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """S8. A selection is too long for an address, so the first POST (`key` from the boxes) asks, and the second (`keys`) acts."""
    back = bucket_address(space, bucket) + Query(path=request.GET.get("path", "")).text()
    bound = "keys" in request.POST
    chosen = request.POST.getlist("key")
    form = (
        SelectionForm(request.POST) if bound else SelectionForm(initial={"keys": chosen, "bytes": request.POST.get("bytes", "")})
    )
    if not bound and (request.POST.getlist("folder") or request.POST.get("all") or len(chosen) > MOST_KEYS):
        # That is long work with a plan of its own; the browser sends the same body there.
        long_work = HttpResponseRedirect(reverse("bulk:deletion", kwargs={"space": space, "bucket": bucket}))
        long_work.status_code = 307
        return long_work
    keys = chosen_keys(request.POST["keys"]) if bound else chosen
    context = _question(bucket, keys, back, _links(request, space, bucket, keys))
    form.fields["typed"].label = f"Type {len(keys)} to go on"
    if not keys or len(keys) > MOST_KEYS:
        return dialog(request, "objects/_no_selection.html", {**context, "most": MOST_KEYS}, status=422)

    def finish(removed: Removed) -> HttpResponse:
        count = len(removed.gone)
        if not removed.left:
            return done(request, f"{count:,} {'object' if count == 1 else 'objects'} deleted.", changed="objects", to=back)
        context = {"title": f"{count:,} of {len(keys):,} deleted", "removed": removed, "back": back}
        response = dialog(request, "objects/_not_deleted.html", context)
        response["HX-Trigger"] = "objects:changed"
        return response

    return submit(
        request,
        form,
        "objects/_delete_selection.html",
        perform=lambda: remove_many(request.workspace, space, bucket, form.cleaned_data["keys"]),
        then=finish,
        context={**context, "size": _size(str(form["bytes"].value() or ""))},
    )


def _size(counted: str) -> str:
    """What the list's script counted; "" without script."""
    return bytes_text(int(counted)) if counted.isdecimal() and len(counted) < 18 else ""


def _links(request: WorkspaceRequest, space: str, bucket: str, keys: list[str]) -> str:
    """Which of our links die with the objects."""
    dying = follow.dying_ids(space, bucket, keys=keys)
    count = len(dying)
    if not dying:
        return "No share link leads to it." if len(keys) == 1 else "No share link leads to any of them."
    leads = "1 live share link loses its object" if count == 1 else f"{count:,} live share links lose an object"
    named = "; ".join(ledger.named(request.user, dying))
    return f"{leads}{f': {named}' if named else ''}."


def _question(bucket: str, keys: list[str], back: str, dying: str) -> dict[str, object]:
    count = len(keys)
    objects = "1 object" if count == 1 else f"{count:,} objects"
    return {
        "title": f"Delete {objects}",
        "lead": f"{'It is' if count == 1 else 'They are'} removed from {bucket} and can't be brought back. {dying}",
        "button": f"Delete {objects}",
        "count": count,
        "names": [printable(key) for key in keys],
        "back": back,
    }
