"""Delete one object, or a selection."""

from collections.abc import Sequence

from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from dashboard.catalog.keys import folder_of, name_of, printable
from dashboard.catalog.selection import is_posted, keep, read_selection, selection_of
from dashboard.features.objects.records import Query
from dashboard.features.objects.services.delete import AT_ONCE, Deleted, delete_many, delete_object
from dashboard.features.objects.views.rows import bucket_address
from dashboard.links import follow, ledger
from dashboard.snapshots import trash
from dashboard.snapshots.capture import is_open
from dashboard.snapshots.manifest import Head
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
    size = _kept_size(request, space, bucket, [key])
    if size > trash.AT_ONCE_BYTES:
        return _by_a_job(request, space, bucket)
    return confirm(
        request,
        title=f"Delete {name}",
        button=f"Delete {name}",
        consequences=[
            f"{printable(key)} is deleted from {printable(bucket)}. {_fate(size)}",
            f"{_affected_links(request, space, bucket, [key])} Signed links to it stop working.",
        ],
        perform=lambda: delete_object(request.workspace, space, bucket, key, keeps=_keeps(request)),
        then=lambda kept: done(request, f"{name} deleted.", changed="objects", to=back, undo=_undo(request, kept)),
        back=back,
        box=trash.WITHOUT if trash.days() else None,
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

    what = selection.title()
    size = _kept_size(request, space, bucket, keys)
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
            f"{what}{_size(request)} {'is' if len(keys) == 1 else 'are'} deleted from {printable(bucket)}. {_fate(size)}",
            _affected_links(request, space, bucket, list(keys)),
        ],
        items=[printable(key) for key in keys],
        perform=lambda: delete_many(request.workspace, space, bucket, keys, keeps=_keeps(request)),
        then=finish,
        back=back,
        typed=str(len(keys)) if len(keys) >= TYPED_FROM else None,
        count=len(keys),
        box=trash.WITHOUT if trash.days() else None,
    )


def _by_a_job(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Lead to where jobs are begun. The browser sends the same body there."""
    home = reverse("bulk:deletion", kwargs={"space": space, "bucket": bucket})
    query = request.GET.urlencode()
    return HttpResponseRedirect(f"{home}?{query}" if query else home, preserve_request=request.method == "POST")


def _keeps(request: WorkspaceRequest) -> bool:
    return bool(trash.days()) and not request.POST.get(trash.WITHOUT[0])


def _kept_size(request: WorkspaceRequest, space: str, bucket: str, keys: Sequence[str]) -> int:
    """Return the bytes that a deletion would keep (S13); 0 if it keeps none."""
    return trash.size_of(request.workspace, space, bucket, keys) if _keeps(request) else 0


def _fate(size: int) -> str:
    days = trash.days()
    return f"Kept for {counted(days, 'day')} in the trash ({bytes_text(size)})." if days else "This can't be undone."


def _undo(request: WorkspaceRequest, kept: Head | None) -> str:
    """Return the address that restores what was kept. Who acts through a grant has none."""
    is_theirs = kept is not None and is_open(request.workspace, kept.space)
    return reverse("snapshots:undo", args=[kept.space, kept.bucket, kept.id]) if kept and is_theirs else ""


def _size(request: WorkspaceRequest) -> str:
    """The bytes as counted by the list's script: " (2.0 KiB)"."""
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
