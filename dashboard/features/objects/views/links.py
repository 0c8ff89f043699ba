"""Create signed links to hand out."""

from urllib.parse import urlsplit

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from dashboard.catalog.keys import folder_of, name_of, printable
from dashboard.catalog.selection import Selection, is_posted, keep, selection_of
from dashboard.features.objects.forms import LinkForm
from dashboard.features.objects.records import Query
from dashboard.features.objects.services.links import AT_ONCE, Created, create_links
from dashboard.features.objects.views.rows import bucket_address
from dashboard.links import policy
from dashboard.links.signed import custom_host
from dashboard.team.rights import needs
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.input.forms import posted
from dashboard.web.pages.answers import dialog, submit
from dashboard.web.text import counted


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
@needs("link signed")
def new(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Ask for the expiry, then S15. Folders, searches and more than 1,000 objects go to "Create links"."""
    if is_posted(request):
        return keep(request, space, bucket)
    selection = selection_of(request, space, bucket)
    if selection.folders or selection.filter or len(selection.keys) > AT_ONCE:
        return HttpResponseRedirect(f"{reverse('sharing:desk', args=(space, bucket))}?{request.GET.urlencode()}")
    base = request.workspace.signing_url(space)
    context = _context(selection)
    refusal = policy.why_not_signed(request.workspace, space)
    if base is None or refusal or selection.is_empty:
        return dialog(request, "objects/_no_links.html", {**context, "refusal": refusal})
    host = custom_host(request.workspace, space, base)
    form = LinkForm(
        posted(request),
        latest=policy.latest_of_signed(request.workspace.grant_at("storage", space)),
        own_host=urlsplit(base).netloc,
        host=host,
    )
    return submit(
        request,
        form,
        "objects/_links_form.html",
        perform=lambda: create_links(
            request.workspace,
            space,
            bucket,
            selection.keys,
            ends_at=form.cleaned_data["ends_at"],
            base=host.replace_in(base) if host and form.has_custom_host else base,
            download=form.download,
        ),
        then=lambda created: dialog(request, "objects/_links.html", {**context, **_result(created)}),
        context={**context, "lead": "Anyone with the link can open the object until it expires. It can't be revoked."},
    )


def _context(selection: Selection) -> dict[str, object]:
    back, count = bucket_address(selection.space, selection.bucket), len(selection.keys)
    if count == 1:
        back += Query(path=folder_of(selection.keys[0])).text()
        title = f"Share {printable(name_of(selection.keys[0]))}"
    else:
        title = f"Share {counted(count, 'object')}" if count else "Share"
    return {"title": title, "count": count, "back": back, "space": selection.space, "bucket": selection.bucket}


def _result(created: Created) -> dict[str, object]:
    good, refused = created.good, created.refused
    return {
        "title": f"{counted(len(good), 'link')} created" if good else "No link created",
        "good": good,
        "refused": refused,
        "ends_at": created.ends_at,
        "lines": "\n".join(link.address for link in good),
        "wide": True,
    }
