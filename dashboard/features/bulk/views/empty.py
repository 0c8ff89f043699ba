"""Emptying a bucket, and deleting it with everything in it."""

from collections.abc import Callable
from functools import partial

from django.http import HttpResponse
from django.views.decorators.http import require_http_methods

from dashboard.features.bulk.services import jobs
from dashboard.features.bulk.views.return_links import bucket_address, buckets_address
from dashboard.jobs.models import Job
from dashboard.jobs.views.jobs import started
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.answers import done
from dashboard.web.confirm import confirm, sought

FIRST = "First everything in it is counted; nothing is deleted before you have seen the number and typed the bucket's name."


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
def empty(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """S3."""
    back = bucket_address(space, bucket)
    said = ("Every object in it will be deleted. The bucket and its settings stay.", FIRST)
    begin = partial(jobs.empty, request.workspace, space, bucket, back=back)
    return _ask(request, space, bucket, title=f"Empty {bucket}?", said=said, begin=begin, back=back)


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
def remove(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """S3 and S6."""
    back = buckets_address(space)
    said = ("Every object in it will be deleted, and then the bucket itself with its settings.", FIRST)
    begin = partial(jobs.remove, request.workspace, space, bucket, back=back)
    return _ask(request, space, bucket, title=f"Empty and delete {bucket}?", said=said, begin=begin, back=back)


def _ask(
    request: WorkspaceRequest,
    space: str,
    bucket: str,
    *,
    title: str,
    said: tuple[str, ...],
    begin: Callable[[], Job],
    back: str,
) -> HttpResponse:
    """S4: a bucket that is not there is not offered to be counted."""
    if sought(request, lambda: request.workspace.storage(space).buckets.get(bucket)) is None:
        return done(request, f"Bucket {bucket} is gone already.", changed="buckets", to=buckets_address(space))
    return confirm(
        request,
        title=title,
        button="Count what is in it",
        consequences=said,
        perform=begin,
        then=lambda job: started(request, job),
        back=back,
        danger=False,
    )
