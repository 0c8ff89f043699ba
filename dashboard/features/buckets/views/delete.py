"""Delete an empty bucket; one that is not empty is emptied first, by a job."""

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from dashboard.catalog.keys import printable
from dashboard.features.buckets.services import buckets, contents
from dashboard.interfaces.errors import Conflict
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.jobs.settlement import require_settled
from dashboard.links import follow, ledger
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.failures.operations import sends
from dashboard.web.pages.answers import dialog, done
from dashboard.web.pages.confirm import confirm, sought
from dashboard.web.pages.navigation import inner_address
from dashboard.web.process.parallel import side_by_side
from dashboard.web.text import counted

# A longer name would not fit on a button.
LONG = 40


@require_http_methods(["GET", "POST"])
@with_workspace
@sends("S6")
def delete(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Type its name to confirm. One that is not empty is counted first, where the job is begun that empties and deletes it."""
    workspace = request.workspace
    home = reverse("buckets:index", args=[space])
    if request.method == "GET":
        require_settled(workspace, space, buckets.touched(bucket))
    read = sought(
        request,
        lambda: side_by_side(
            lambda: buckets.get_bucket(workspace, space, bucket), lambda: contents.is_empty(workspace, space, bucket)
        ),
    )
    if read is None:
        return done(request, f"Bucket {printable(bucket)} was already deleted.", changed="buckets", to=home)
    found, is_empty = read
    if is_empty is False:
        if request.method == "GET":
            return HttpResponseRedirect(_removal(space, found))
        return _blocked(request, space, found, is_hidden=False)
    consequences = ["The bucket and its settings are deleted. This can't be undone."]
    if is_empty is None:
        consequences.append("Its contents could not be listed. The service deletes only empty buckets.")
    if number := ledger.counts(space, [found.id])[found.id]:
        named = "; ".join(ledger.named(workspace.person, follow.dying_ids(space, found.id, folders=[""])))
        consequences.append(f"{counted(number, 'share link')} will lead to a missing file: {named}.")
    try:
        return confirm(
            request,
            title=f"Delete {printable(found.name)}?",
            button=f"Delete {printable(found.name)}" if len(found.name) <= LONG else "Delete bucket",
            typed=found.name,
            consequences=consequences,
            perform=lambda: _delete(request, space, found),
            then=lambda _: done(request, f"Bucket {printable(found.name)} deleted.", changed="buckets", to=home),
            back=home,
        )
    except StillFull:
        return _blocked(request, space, found, is_hidden=contents.is_empty(workspace, space, found.id) is True)


class StillFull(Exception):  # noqa: N818 - a state of the bucket
    """The service reports that the bucket is not empty."""


def _delete(request: WorkspaceRequest, space: str, bucket: Bucket) -> None:
    try:
        buckets.delete_bucket(request.workspace, space, bucket)
    except Conflict as refusal:
        raise StillFull from refusal


def _blocked(request: WorkspaceRequest, space: str, bucket: Bucket, *, is_hidden: bool) -> HttpResponse:
    context = {
        "title": f"Delete {printable(bucket.name)}?",
        "back": reverse("buckets:index", args=[space]),
        "is_hidden": is_hidden,
        "contents": inner_address("bucket", space, bucket.id),
        "removal": _removal(space, bucket),
    }
    return dialog(request, "buckets/_blocked.html", context, status=422)


def _removal(space: str, bucket: Bucket) -> str:
    return reverse("bulk:removal", args=[space, bucket.id])
