"""Delete one object, or a selection."""

from collections.abc import Sequence

from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from dashboard.catalog.keys import folder_of, name_of, printable
from dashboard.catalog.selection import is_posted, keep, read_selection, selection_of
from dashboard.features.objects.records import Query
from dashboard.features.objects.services.delete import AT_ONCE, Deleted, Rows, delete_many, delete_object
from dashboard.features.objects.views.rows import bucket_address
from dashboard.links import follow, ledger
from dashboard.snapshots import trash
from dashboard.snapshots.manifest import Head
from dashboard.snapshots.sight import sees
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.failures.operations import sends
from dashboard.web.http.requests import read_number
from dashboard.web.pages.answers import dialog, done
from dashboard.web.pages.confirm import TYPED_FROM, confirm
from dashboard.web.text import bytes_text, counted


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
@sends("S7")
def delete(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """S7, after a confirmation."""
    key = request.GET.get("key", "")
    if not key:
        raise Http404("No object is named.")
    back = bucket_address(space, bucket) + Query(path=folder_of(key)).text()
    name = printable(name_of(key)) or printable(key)
    rows = _listed(request, space, bucket, [key])
    size = trash.bytes_of(rows.values()) if rows else 0
    if size > trash.AT_ONCE_BYTES:
        return _by_a_job(request, space, bucket)
    return confirm(
        request,
        title=f"Delete {name}",
        button=f"Delete {name}",
        consequences=[
            f"{printable(key)} is deleted from {printable(bucket)}. {_fate(space, bucket, size)}",
            f"{_affected_links(request, space, bucket, [key])} Signed links to it stop working.",
        ],
        perform=lambda: delete_object(request.workspace, space, bucket, key, rows=rows),
        then=lambda kept: done(request, f"{name} deleted.", changed="objects", to=back, undo=_undo(request, kept)),
        back=back,
        box=trash.WITHOUT if trash.days_of(space, bucket) else None,
    )


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
@sends("S8")
def delete_selection(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """S8 for up to 1,000 objects, after a confirmation. Folders and more objects are deleted by a job."""
    if is_posted(request):
        posted = read_selection(space, bucket, request.POST)
        if posted.folders or posted.filter or len(posted.keys) > AT_ONCE:
            return _by_a_job(request, space, bucket)
        return keep(request, space, bucket)
    selection = selection_of(request, space, bucket)
    keys = selection.keys
    back = bucket_address(space, bucket) + Query(path=selection.path or request.GET.get("path", "")).text()
    if not keys or selection.folders or len(keys) > AT_ONCE:
        return dialog(request, "parts/_none_selected.html", {"title": "Delete objects", "back": back}, status=422)

    what, verb = selection.title(), "is" if len(keys) == 1 else "are"
    rows = _listed(request, space, bucket, keys)
    size = trash.bytes_of(rows.values()) if rows else 0
    if size > trash.AT_ONCE_BYTES:
        return _by_a_job(request, space, bucket)

    def finish(result: Deleted) -> HttpResponse:
        if not result.left and not result.why:
            return done(request, f"{what} deleted.", changed="objects", to=back, undo=_undo(request, result.kept))
        title = f"{len(result.deleted):,} of {len(keys):,} deleted"
        response = dialog(
            request, "objects/_not_deleted.html", {"title": title, "left": result.left, "why": result.why, "back": back}
        )
        response["HX-Trigger"] = "objects:changed"
        return response

    return confirm(
        request,
        title=f"Delete {what}",
        button=f"Delete {what}",
        consequences=[
            f"{what}{_size(request)} {verb} deleted from {printable(bucket)}. {_fate(space, bucket, size)}",
            _affected_links(request, space, bucket, list(keys)),
        ],
        items=[printable(key) for key in keys],
        perform=lambda: delete_many(request.workspace, space, bucket, keys, rows=rows),
        then=finish,
        back=back,
        typed=str(len(keys)) if len(keys) >= TYPED_FROM else None,
        count=len(keys),
        box=trash.WITHOUT if trash.days_of(space, bucket) else None,
    )


def _by_a_job(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Lead to where jobs are begun. The browser sends the same body there."""
    home = reverse("bulk:deletion", kwargs={"space": space, "bucket": bucket})
    query = request.GET.urlencode()
    return HttpResponseRedirect(f"{home}?{query}" if query else home, preserve_request=request.method == "POST")


def _listed(request: WorkspaceRequest, space: str, bucket: str, keys: Sequence[str]) -> Rows | None:
    """Return what the bucket lists of these keys (S13), to be kept first; None if nothing is kept."""
    keeps = trash.days_of(space, bucket) and not request.POST.get(trash.WITHOUT[0])
    return trash.listed(request.workspace, space, bucket, keys) if keeps else None


def _fate(space: str, bucket: str, size: int) -> str:
    days = trash.days_of(space, bucket)
    return f"Kept for {counted(days, 'day')} in the trash ({bytes_text(size)})." if days else "This can't be undone."


def _undo(request: WorkspaceRequest, kept: Head | None) -> str:
    """Return the address that restores what was kept, if the person may."""
    is_theirs = kept is not None and sees(request.workspace, kept.space, "upload")
    return reverse("snapshots:undo", args=[kept.space, kept.bucket, kept.id]) if kept and is_theirs else ""


def _size(request: WorkspaceRequest) -> str:
    """The bytes as counted by the list's script: " (2.0 KB)"."""
    size = read_number(request.GET.get("bytes", ""))
    return "" if size is None else f" ({bytes_text(size)})"


def _affected_links(request: WorkspaceRequest, space: str, bucket: str, keys: list[str]) -> str:
    """A sentence on the share links that lead to these objects."""
    affected = follow.dying_ids(space, bucket, keys=keys)
    if not affected:
        return "No share link is affected."
    links = counted(len(affected), "active share link")
    named = "; ".join(ledger.named(request.user, affected))
    return f"{links} will lead to a missing file{f': {named}' if named else ''}."
