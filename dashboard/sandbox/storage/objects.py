"""S7, S8, S11 to S13 and S17 to S21."""

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from dashboard.sandbox import faults, generations
from dashboard.sandbox.answers import answer, rows
from dashboard.sandbox.operations import operation
from dashboard.sandbox.storage import access, catalog, delivery, disk, lists, names, refusals
from dashboard.sandbox.storage.body import json_members, read_json
from dashboard.sandbox.storage.catalog import Content
from dashboard.sandbox.storage.models import Entry
from dashboard.sandbox.storage.records import object_record
from dashboard.sandbox.storage.schema import Members
from dashboard.sandbox.storage.tokens import caller_of
from dashboard.sandbox.storage.uploads import header_metadata


@operation("S7", "DELETE", "/object/{bucket}/{wildcard}")
def delete(request: HttpRequest, ref: str, bucket: str, wildcard: str) -> HttpResponse:
    """A missing object is reported before a missing permission."""
    read_json(request)
    caller = caller_of(request, ref)
    found = catalog.find_bucket(ref, bucket)
    if found is None or catalog.find(found, wildcard) is None:
        raise refusals.no_object()
    if not caller.sees_objects:
        raise refusals.access_denied()
    if not catalog.delete(found, [wildcard]):
        raise refusals.no_object()
    return answer({"message": "Successfully deleted"})


@operation("S8", "DELETE", "/object/{bucket}")
def delete_many(request: HttpRequest, ref: str, bucket: str) -> HttpResponse:
    """The records of what was deleted; other keys are absent."""
    wanted = json_members(request)
    wanted.require("prefixes")
    keys = wanted.texts("prefixes", least=1)
    found = access.visible(ref, bucket, caller_of(request, ref))
    if found is None or faults.spoils("S8"):
        return answer([])
    rows = catalog.find_many(found, keys).values() if faults.stays("S8") else catalog.delete(found, keys)
    return answer([object_record(row, found) for row in rows])


@operation("S11", "POST", "/object/move")
def move(request: HttpRequest, ref: str) -> HttpResponse:
    """Never overwrites; size and type limits of the destination don't count."""
    wanted = json_members(request)
    wanted.require("bucketId", "sourceKey", "destinationKey")
    bucket, source, key = wanted.text("bucketId"), wanted.text("sourceKey"), wanted.text("destinationKey")
    destination = _destination(wanted)
    caller = caller_of(request, ref)
    found = access.visible(ref, bucket, caller)
    names.check_key(key)
    if found is None:
        raise refusals.no_object()
    catalog.move(found, source, found if destination == bucket else catalog.find_bucket(ref, destination), key)
    return answer({"message": "Successfully moved"})


@operation("S12", "POST", "/object/copy")
def copy(request: HttpRequest, ref: str) -> HttpResponse:
    """`Key`, `Id` and the new record; overwrites only with the header x-upsert: true."""
    wanted = json_members(request)
    wanted.require("bucketId", "sourceKey", "destinationKey")
    bucket, source, key = wanted.text("bucketId"), wanted.text("sourceKey"), wanted.text("destinationKey")
    destination = _destination(wanted)
    label = wanted.inner("metadata")
    mimetype, cache_control = (label.text("mimetype"), label.text("cacheControl")) if label else ("", "")
    keep = wanted.boolean("copyMetadata", default=True)
    caller = caller_of(request, ref)
    found = access.visible(ref, bucket, caller)
    names.check_key(key)
    if found is None:
        raise refusals.no_object()
    access.existing(found, source)
    target = catalog.find_bucket(ref, destination)
    if target is None:
        raise refusals.no_destination()
    upsert = request.headers.get("x-upsert") == "true" and not generations.is_older()
    if not upsert and catalog.find(target, key):
        raise refusals.exists("KeyAlreadyExists")

    def duplicate(entry: Entry) -> Entry:
        with disk.zeros(entry.size) if faults.spoils("S12") else disk.twin(entry) as written:
            content = Content(
                written,
                entry.mimetype if keep or not mimetype else mimetype,
                entry.cache_control if keep or not cache_control else cache_control,
                entry.robots_tag,
                entry.user_metadata if keep else header_metadata(request),
            )
            return catalog.store(target, key, content, caller, upsert=upsert)

    stored = disk.current(lambda: access.existing(found, source), duplicate)
    if generations.is_older():
        return answer({"Key": f"{target.identifier}/{key}"})
    return answer({"Key": f"{target.identifier}/{key}", "Id": str(stored.object_id), **object_record(stored, target)})


@operation("S13", "POST", "/object/list/{bucket}")
def all(request: HttpRequest, ref: str, bucket: str) -> HttpResponse:  # noqa: A001 - the document's word
    """One page of a folder; `[]` if it is missing or not visible."""
    wanted = json_members(request)
    wanted.require("prefix")
    sorting = wanted.inner("sortBy")
    if sorting:
        sorting.require("column")
    wish = lists.Wish(
        prefix=wanted.text("prefix"),
        search=wanted.text("search"),
        limit=wanted.integer("limit", 100, least=1),
        offset=wanted.integer("offset", 0, least=0),
        column=sorting.one_of("column", list(lists.COLUMNS), "name") if sorting else "name",
        descending=sorting is not None and sorting.one_of("order", ("asc", "desc"), "asc") == "desc",
        leaves_folders_out=faults.spoils("S13"),
    )
    found = access.visible(ref, bucket, caller_of(request, ref))
    return rows(lists.page(found, wish) if found else [])


@operation("S17", "GET", "/object/{bucket}/{wildcard}")
def get(request: HttpRequest, ref: str, bucket: str, wildcard: str) -> HttpResponseBase:
    """Deprecated, but still used by the official clients."""
    return delivery.send(request, lambda: access.perhaps_readable(request, ref, bucket, wildcard)[1])


@operation("S18", "GET", "/object/authenticated/{bucket}/{wildcard}")
def read(request: HttpRequest, ref: str, bucket: str, wildcard: str) -> HttpResponseBase:
    return delivery.send(request, lambda: access.readable(request, ref, bucket, wildcard)[1])


@operation("S19", "GET", "/object/info/authenticated/{bucket}/{wildcard}")
def info(request: HttpRequest, ref: str, bucket: str, wildcard: str) -> HttpResponse:
    found, entry = access.readable(request, ref, bucket, wildcard)
    return delivery.info(entry, found)


@operation("S19", "GET", "/object/info/{bucket}/{wildcard}")
def info_short(request: HttpRequest, ref: str, bucket: str, wildcard: str) -> HttpResponse:
    """The path of today's official clients. Public buckets need no credential."""
    found, entry = access.perhaps_readable(request, ref, bucket, wildcard)
    return delivery.info(entry, found)


@operation("S20", "GET", "/object/public/{bucket}/{wildcard}")
def read_public(request: HttpRequest, ref: str, bucket: str, wildcard: str) -> HttpResponseBase:
    return delivery.send(request, lambda: access.publicly_readable(ref, bucket, wildcard)[1])


@operation("S21", "GET", "/object/info/public/{bucket}/{wildcard}")
def info_public(request: HttpRequest, ref: str, bucket: str, wildcard: str) -> HttpResponseBase:
    """HEAD here is S17's, of a bucket named `info`: usually a 400."""
    if request.method == "HEAD":
        return get(request, ref, "info", f"public/{bucket}/{wildcard}")
    found, entry = access.publicly_readable(ref, bucket, wildcard)
    return delivery.info(entry, found)


def _destination(wanted: Members) -> str:
    """Return the bucket that S11 and S12 write to; older services ignore the member for another one."""
    return ("" if generations.is_older() else wanted.text("destinationBucket")) or wanted.text("bucketId")
