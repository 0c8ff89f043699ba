"""Many objects at once: one archive, or a list of links."""

from datetime import datetime

from django.http import HttpResponse, HttpResponseBase, QueryDict
from django.views.decorators.http import require_http_methods

from dashboard.catalog.keys import printable
from dashboard.catalog.link_export import as_csv, as_json, as_script
from dashboard.catalog.selection import Selection, read_selection
from dashboard.features.objects.forms import ManifestForm
from dashboard.features.objects.services.archive import MOST, Gathered, gather, title_of
from dashboard.features.objects.services.browse import Query
from dashboard.features.objects.services.manifests import manifest
from dashboard.features.objects.views.rows import bucket_address, verb_address
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.answers import dialog
from dashboard.web.archive import length, pack
from dashboard.web.downloads import attach, file_view
from dashboard.web.parallel import later
from dashboard.web.text import bytes_text, exact_bytes
from dashboard.web.transfers import transfer

GO = "go"
CARRIED = ("key", "folder", "filter", "all", "path")
KINDS = {
    "csv": (as_csv, "csv", "text/csv"),
    "script": (as_script, "sh", "text/x-shellscript"),
    "json": (as_json, "json", "application/json"),
}


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
@file_view
def archive(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponseBase:
    """S13 and S19 to count; with `go`, or for single objects of a plain form, the archive itself, by S18 of each."""
    data = request.POST if request.method == "POST" else request.GET
    selection = read_selection(space, bucket, data)
    if selection.is_empty:
        return _nothing(request, selection)
    found = gather(request.workspace, selection, ask=later)
    plain = request.method == "POST" and not request.htmx and not selection.folders and not selection.filter
    if found.fits and request.method != "HEAD" and (GO in data or plain):
        return _packed(request, selection, found)
    return dialog(
        request, "objects/_archive.html", _archive_context(data, selection, found, request.workspace.storage_public_url(space))
    )


@transfer
def _packed(request: WorkspaceRequest, selection: Selection, found: Gathered) -> HttpResponseBase:
    storage = request.workspace.storage(selection.space)
    blocks = pack(
        found.members,
        open_object=lambda key: storage.objects.read(selection.bucket, key),
        begin=later,
        comment=f"Packed by Pilothouse from the bucket {selection.bucket}.",
    )
    return attach(blocks, filename=f"{title_of(selection)}.zip", kind="application/zip", length=length(found.members))


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
def make_manifest(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponseBase:
    """Asks for the form and the end; then S13 of the folders and S15 for each 1,000 objects, as it is sent."""
    data = request.POST if request.method == "POST" else request.GET
    selection = read_selection(space, bucket, data)
    if selection.is_empty:
        return _nothing(request, selection)
    base = request.workspace.storage_public_url(space)
    if base is None:
        return dialog(
            request, "objects/_no_links.html", {"title": "List of links", "back": _back(selection), "unreachable": True}
        )
    form = ManifestForm(request.POST) if request.method == "POST" and "kind" in request.POST else ManifestForm()
    if form.is_valid():
        return _listed(request, selection, form.cleaned_data["kind"], form.cleaned_data["ends_at"], base)
    context = {
        "title": "List of links",
        "lead": f"A file with presigned links for {_words(selection)}, one for each object. "
        "Anyone who has the file can open them until their end; that can't be taken back before.",
        "form": form,
        "action": verb_address("manifest", space, bucket),
        "carried": _carried(data),
        "back": _back(selection),
    }
    return dialog(request, "objects/_manifest.html", context, status=422 if form.is_bound else 200)


@transfer
def _listed(request: WorkspaceRequest, selection: Selection, kind: str, ends_at: datetime, base: str) -> HttpResponseBase:
    lines, ending, media = KINDS[kind]
    text = manifest(request.workspace, selection, lines=lines, ends_at=ends_at, base=base)
    return attach(text, filename=f"{title_of(selection)}-links.{ending}", kind=media)


def _archive_context(data: QueryDict, selection: Selection, found: Gathered, reachable: str | None) -> dict[str, object]:
    space, bucket = selection.space, selection.bucket
    count = len(found.members)
    objects = "1 object" if count == 1 else f"{count:,} objects"
    return {
        "title": f"Download {_words(selection)}",
        "found": found,
        "objects": objects,
        "button": f"Download {objects}",
        "size": bytes_text(found.bytes),
        "exact": exact_bytes(found.bytes),
        "name": printable(f"{title_of(selection)}.zip"),
        "most": f"{MOST:,}",
        "action": verb_address("archive", space, bucket),
        "manifest": verb_address("manifest", space, bucket) if reachable else "",
        "carried": _carried(data),
        "back": _back(selection),
    }


def _carried(data: QueryDict) -> list[tuple[str, str]]:
    """The selection for the next form, as it came."""
    return [(name, value) for name in CARRIED for value in data.getlist(name)]


def _words(selection: Selection) -> str:
    if len(selection.folders) == 1 and not selection.keys:
        return f"the folder {printable(title_of(selection))}"
    return selection.sentence()


def _back(selection: Selection) -> str:
    return bucket_address(selection.space, selection.bucket) + Query(path=selection.path).text()


def _nothing(request: WorkspaceRequest, selection: Selection) -> HttpResponse:
    return dialog(request, "objects/_no_links.html", {"title": "Download", "back": _back(selection)}, status=422)
