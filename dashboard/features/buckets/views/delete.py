"""Delete a bucket, or show what blocks it."""

from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from dashboard.catalog.keys import printable
from dashboard.features.buckets.services import buckets, contents
from dashboard.features.buckets.services.contents import Listed
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
    """Empty: type its name to confirm. Not empty: show its contents and what can be done."""
    workspace = request.workspace
    home = reverse("buckets:index", args=[space])
    if request.method == "GET":
        require_settled(workspace, space, buckets.touched(bucket))
    read = sought(
        request,
        lambda: side_by_side(
            lambda: buckets.get_bucket(workspace, space, bucket), lambda: contents.first_names(workspace, space, bucket)
        ),
    )
    if read is None:
        return done(request, f"Bucket {printable(bucket)} was already deleted.", changed="buckets", to=home)
    found, listed = read
    if listed.names:
        return _blocked(request, space, found, listed, refused=request.method == "POST")
    consequences = ["The bucket and its settings are deleted. This can't be undone."]
    if not listed.told:
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
        return _blocked(request, space, found, contents.first_names(workspace, space, found.id), refused=True)


class StillFull(Exception):  # noqa: N818 - a state of the bucket
    """The service reports that the bucket is not empty."""


def _delete(request: WorkspaceRequest, space: str, bucket: Bucket) -> None:
    try:
        buckets.delete_bucket(request.workspace, space, bucket)
    except Conflict as refusal:
        raise StillFull from refusal


def _blocked(request: WorkspaceRequest, space: str, bucket: Bucket, listed: Listed, *, refused: bool) -> HttpResponse:
    context = {
        "title": f"Delete {printable(bucket.name)}",
        "lead": "The bucket is not empty, and the service deletes only empty ones.",
        "back": reverse("buckets:index", args=[space]),
        "bucket": bucket,
        "listed": listed,
        "known": contents.counted(request.workspace, space, bucket.id),
        "links": ledger.counts(space, [bucket.id])[bucket.id],
        "contents": inner_address("bucket", space, bucket.id),
        "emptying": reverse("bulk:emptying", args=[space, bucket.id]),
        "removal": reverse("bulk:removal", args=[space, bucket.id]),
        "refused": refused,
    }
    return dialog(request, "buckets/_blocked.html", context, status=422 if refused else 200)
