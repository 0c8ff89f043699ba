"""Permissions on buckets and objects.

Only the service role may do everything. Others may read public buckets, and have what a row policy in their claims allows: access
to buckets and objects, to objects only, or only adding objects.
"""

from django.http import HttpRequest

from dashboard.sandbox.dispatch import raw_path
from dashboard.sandbox.errors import RouteRefusal
from dashboard.sandbox.storage import catalog, names, refusals
from dashboard.sandbox.storage.models import Bucket, Entry
from dashboard.sandbox.storage.tokens import Caller, caller_of, known_caller


def readable(request: HttpRequest, ref: str, bucket: str, key: str) -> tuple[Bucket, Entry]:
    """Find an object for S18 and S19, which require a credential. Raises StorageRefusal."""
    caller = caller_of(request, ref)
    found = _bucket(ref, bucket)
    if not (found.public or caller.sees_objects):
        raise refusals.no_object()
    return found, existing(found, key)


def perhaps_readable(request: HttpRequest, ref: str, bucket: str, key: str) -> tuple[Bucket, Entry]:
    """Find an object for S17 and the short S19; public buckets need no credential."""
    caller = known_caller(request, ref)
    found = _bucket(ref, bucket)
    if not found.public and caller is None:
        raise refusals.no_bucket()
    if not found.public and caller and not caller.sees_objects:
        raise refusals.no_object()
    return found, existing(found, key)


def publicly_readable(ref: str, bucket: str, key: str) -> tuple[Bucket, Entry]:
    """Find an object for S20 and S21; private buckets look like missing ones."""
    found = _bucket(ref, bucket)
    if not found.public:
        raise refusals.no_bucket()
    return found, existing(found, key)


def existing(bucket: Bucket, key: str) -> Entry:
    found = catalog.find(bucket, key)
    if found is None:
        raise refusals.no_object()
    return found


def visible(ref: str, bucket: str, caller: Caller) -> Bucket | None:
    """Return the bucket for S8 and S11 to S15; None if it is missing or the caller has no access. Refuses invalid names."""
    if not names.is_bucket_name(bucket):
        raise refusals.bad_bucket_name()
    return catalog.find_bucket(ref, bucket) if caller.sees_objects else None


def no_route(request: HttpRequest) -> RouteRefusal:
    """Return the error for a path or method outside the interface."""
    return RouteRefusal.storage(str(request.method), raw_path(request).split("/storage/v1", 1)[1])


def _bucket(ref: str, identifier: str) -> Bucket:
    found = catalog.find_bucket(ref, identifier)
    if found is None:
        raise refusals.no_bucket()
    return found
