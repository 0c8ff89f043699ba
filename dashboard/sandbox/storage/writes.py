"""S9 and S10: uploads."""

from django.http import HttpRequest, HttpResponse

from dashboard.sandbox import generations
from dashboard.sandbox.answers import answer
from dashboard.sandbox.operations import operation
from dashboard.sandbox.storage import catalog, names, race, refusals, uploads
from dashboard.sandbox.storage.access import no_route
from dashboard.sandbox.storage.body import Body, Cut
from dashboard.sandbox.storage.catalog import Content
from dashboard.sandbox.storage.disk import Aside
from dashboard.sandbox.storage.models import Bucket, Entry
from dashboard.sandbox.storage.tokens import Caller, caller_of

_PLACEHOLDER = ".emptyFolderPlaceholder"


@operation("S9", "POST", "/object/{bucket}/{wildcard}")
def upload(request: HttpRequest, ref: str, bucket: str, wildcard: str) -> HttpResponse:
    """`{"Key", "Id"}`; overwrites only with the header x-upsert: true."""
    return _answer(request, ref, bucket, wildcard, upsert=request.headers.get("x-upsert") == "true")


@operation("S10", "PUT", "/object/{bucket}/{wildcard}")
def replace(request: HttpRequest, ref: str, bucket: str, wildcard: str) -> HttpResponse:
    """Creates a missing object; older services don't."""
    return _answer(request, ref, bucket, wildcard, upsert=True)


def _answer(request: HttpRequest, ref: str, bucket: str, key: str, *, upsert: bool) -> HttpResponse:
    body = Body(request)
    try:
        if bucket == "list-v2" or (bucket == "upload" and key.startswith("sign/")):
            # The service has other operations at these paths, outside the interface.
            raise no_route(request)
        caller = caller_of(request, ref)
        found = _bucket(ref, bucket)
        if request.method == "PUT" and generations.is_older() and catalog.find(found, key) is None:
            raise refusals.no_object()
        entry = _store(request, body, found, key, caller, upsert=upsert)
    except Cut:
        raise refusals.bad_form("Request aborted") from None
    finally:
        body.drain()
    return answer(generations.record({"Key": f"{bucket}/{key}", "Id": str(entry.object_id)}, "Id"))


def _bucket(ref: str, identifier: str) -> Bucket:
    if not names.is_bucket_name(identifier):
        raise refusals.bad_bucket_name()
    found = catalog.find_bucket(ref, identifier)
    if found is None:
        raise refusals.no_bucket()
    return found


def _store(request: HttpRequest, body: Body, bucket: Bucket, key: str, caller: Caller, *, upsert: bool) -> Entry:
    placeholder = key.endswith(_PLACEHOLDER)
    free = generations.is_older()
    own = names.GLOBAL_SIZE_LIMIT if free or bucket.file_size_limit is None else bucket.file_size_limit
    limit = 0 if placeholder else min(own, names.GLOBAL_SIZE_LIMIT)

    def admit(mimetype: str, size: int | None) -> None:
        if not placeholder:
            names.check_type(mimetype, None if free else bucket.allowed_mime_types)
        if size is not None and size > limit:
            raise refusals.too_large()
        names.check_key(key)
        if not caller.sees_objects and (upsert or not caller.inserts):
            raise refusals.row_policy()
        if not upsert and catalog.find(bucket, key):
            raise refusals.exists("KeyAlreadyExists")

    robots_tag = uploads.robots_tag(request)
    with Aside() as aside:
        label = uploads.receive(request, body, aside, limit, admit)
        content = Content(aside.finish(), label.mimetype, label.cache_control, robots_tag, label.user_metadata)
        return catalog.store(bucket, key, content, caller, upsert=upsert or race.is_on())
