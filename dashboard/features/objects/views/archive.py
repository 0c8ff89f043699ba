"""Download a selection: as one ZIP, or as a list of signed links."""

from django.http import HttpResponse, HttpResponseBase
from django.views.decorators.http import require_http_methods

from dashboard.catalog.archive_names import base_of
from dashboard.catalog.keys import printable
from dashboard.catalog.link_export import as_csv, as_script
from dashboard.catalog.selection import Selection, is_posted, keep, read_selection, selection_of
from dashboard.features.objects.forms import LinkListForm
from dashboard.features.objects.records import Query
from dashboard.features.objects.services.archive import MOST_OBJECTS, Gathered, gather, linked, title_of
from dashboard.features.objects.views.rows import bucket_address, verb_address
from dashboard.links import policy
from dashboard.team.rights import needs
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.models import Kind
from dashboard.web.files.archive import FAILED, PADDING, Member, length, pack
from dashboard.web.files.downloads import attach, file_view
from dashboard.web.input.forms import posted, status_of
from dashboard.web.limits.transfers import transfer
from dashboard.web.pages.answers import dialog
from dashboard.web.process.parallel import later
from dashboard.web.text import counted

GO = "go"
FORMATS = {
    "csv": (as_csv, "csv", "text/csv"),
    "script": (as_script, "sh", "text/x-shellscript"),
}


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
@file_view
def archive(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponseBase:
    """Count the selection (S13, S19); with `go`, send it as a ZIP (S18 of each). A form with objects gets it at once."""
    posted = read_selection(space, bucket, request.POST)
    direct = bool(posted.keys) and not request.htmx and not posted.folders
    if is_posted(request) and not direct:
        return keep(request, space, bucket)
    selection = posted if direct else selection_of(request, space, bucket)
    if selection.is_empty:
        return _nothing_selected(request, selection)
    found = gather(request.workspace, selection, reserved=(FAILED, PADDING))
    if found.fits and request.method != "HEAD" and (GO in request.GET or direct):
        return _packed(request, selection, found)
    if direct:
        return keep(request, space, bucket)
    query = request.GET.urlencode()
    refusal = policy.why_not_signed(request.workspace, space)
    context = {
        "title": f"Download {_words(selection)}",
        "found": found,
        "objects": counted(len(found.files), "object"),
        "name": printable(f"{title_of(selection)}.zip"),
        "most": MOST_OBJECTS,
        "action": f"{verb_address('archive', space, bucket)}?{query}&{GO}=1",
        "link_list": f"{verb_address('manifest', space, bucket)}?{query}" if not refusal else "",
        "back": _back(selection),
    }
    return dialog(request, "objects/_archive.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
@needs("link signed")
def link_list(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponseBase:
    """Ask for format and expiry, then sign while it is sent (S13 of the folders, S15 per 1,000 objects)."""
    if is_posted(request):
        return keep(request, space, bucket)
    selection = selection_of(request, space, bucket)
    if selection.is_empty:
        return _nothing_selected(request, selection)
    base = request.workspace.signing_url(space)
    refusal = policy.why_not_signed(request.workspace, space)
    if base is None or refusal:
        refused = {"title": "List of links", "back": _back(selection), "refusal": refusal}
        return dialog(request, "objects/_no_links.html", refused)
    form = LinkListForm(posted(request), latest=policy.latest_of_signed(request.workspace.grant_at("storage", space)))
    if form.is_valid():
        return _sent_list(request, selection, form, base)
    context = {
        "title": "List of links",
        "lead": f"A file with a signed link for each object of {_words(selection)}. "
        "Anyone with the file can open them until they expire.",
        "form": form,
        "action": request.get_full_path(),
        "back": _back(selection),
    }
    return dialog(request, "objects/_link_list.html", context, status=status_of(form))


@transfer
def _packed(request: WorkspaceRequest, selection: Selection, found: Gathered) -> HttpResponseBase:
    storage = request.workspace.storage(selection.space)
    target = f"{counted(len(found.files), 'object')} of {selection.bucket}/{base_of(selection)} as a ZIP"
    request.workspace.note("downloaded", target=target, kind=Kind.STORAGE, place=selection.space)
    members = [Member(entry.key, name, entry.size or 0, entry.updated_at) for entry, name in found.files]
    blocks = pack(
        members,
        open_object=lambda key: storage.objects.read(selection.bucket, key),
        begin=later,
        comment=f"Packed by Pilothouse from the bucket {selection.bucket}.",
    )
    return attach(
        request.workspace.followed(blocks), filename=f"{title_of(selection)}.zip", kind="application/zip", length=length(members)
    )


@transfer
def _sent_list(request: WorkspaceRequest, selection: Selection, form: LinkListForm, base: str) -> HttpResponseBase:
    lines, ending, media = FORMATS[form.cleaned_data["kind"]]
    ends_at = form.cleaned_data["ends_at"]
    found = linked(request.workspace, selection, ends_at=ends_at, base=base)
    blocks = (line.encode() for line in lines(found, selection.bucket, ends_at))
    return attach(blocks, filename=f"{title_of(selection)}-links.{ending}", kind=media)


def _words(selection: Selection) -> str:
    if len(selection.folders) == 1 and not selection.keys:
        return f"the folder {printable(title_of(selection))}"
    return selection.sentence()


def _back(selection: Selection) -> str:
    return bucket_address(selection.space, selection.bucket) + Query(path=selection.path).text()


def _nothing_selected(request: WorkspaceRequest, selection: Selection) -> HttpResponse:
    return dialog(request, "objects/_no_links.html", {"title": "Download", "back": _back(selection)}, status=422)
