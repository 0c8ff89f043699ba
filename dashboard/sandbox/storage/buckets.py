"""S1 to S6."""

from typing import Final

from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse

from dashboard.sandbox import faults, generations
from dashboard.sandbox.answers import answer
from dashboard.sandbox.operations import operation
from dashboard.sandbox.storage import catalog, names, refusals
from dashboard.sandbox.storage.body import json_members, read_json
from dashboard.sandbox.storage.models import Bucket, Entry
from dashboard.sandbox.storage.records import bucket_record
from dashboard.sandbox.storage.schema import Members
from dashboard.sandbox.storage.tokens import Caller, caller_of

MOST_TO_EMPTY = 200_000
_SORTED: Final = {"id": "identifier", "name": "name", "created_at": "created_at", "updated_at": "updated_at"}


@operation("S1", "POST", "/bucket/")
def create(request: HttpRequest, ref: str) -> HttpResponse:
    """`{"name"}`."""
    wanted = json_members(request)
    wanted.require("name")
    name = wanted.text("name")
    identifier = wanted.text("id") or name
    public = wanted.boolean("public", default=False)
    wanted.one_of("type", ("STANDARD", "ANALYTICS"), "STANDARD")
    limit, types = _limit(wanted), _types(wanted)
    caller = caller_of(request, ref)
    if not names.is_bucket_name(name):
        raise refusals.bad_bucket_name()
    _check_limits(limit, types)
    if not caller.is_service:
        raise refusals.row_policy()
    moment = catalog.now()
    bucket = Bucket(
        project=ref, identifier=identifier, name=name, owner=caller.owner, public=public,
        file_size_limit=limit, allowed_mime_types=types, created_at=moment, updated_at=moment,
    )  # fmt: skip
    try:
        with transaction.atomic():
            bucket.save(force_insert=True)
    except IntegrityError:
        raise refusals.exists("BucketAlreadyExists") from None
    return answer({"name": name})


@operation("S2", "GET", "/bucket/")
def all(request: HttpRequest, ref: str) -> HttpResponse:  # noqa: A001 - the document's word
    """Bucket records with `type`."""
    query = Members("querystring", request.GET.dict())
    limit = query.integer("limit", 0, least=1)
    offset = query.integer("offset", 0, least=0)
    column = query.one_of("sortColumn", list(_SORTED), "id")
    order = query.one_of("sortOrder", ("asc", "desc"), "asc")
    search = query.text("search").lower()
    if not caller_of(request, ref).sees_buckets:
        return answer([])
    sign = "-" if order == "desc" else ""
    found = Bucket.objects.filter(project=ref).order_by(*([sign + _SORTED[column]] if "sortColumn" in query else []), "pk")
    rows = [bucket_record(row, with_type=True) for row in found if search in row.name.lower()]
    return answer(rows[offset : offset + limit if limit else None])


@operation("S4", "GET", "/bucket/{bucket}")
def get(request: HttpRequest, ref: str, bucket: str) -> HttpResponse:
    """A bucket record."""
    return answer(bucket_record(_visible(ref, bucket, caller_of(request, ref))))


@operation("S5", "PUT", "/bucket/{bucket}")
def update(request: HttpRequest, ref: str, bucket: str) -> HttpResponse:
    """Missing members stay unchanged."""
    wanted = json_members(request)
    if not any(member in wanted for member in ("public", "file_size_limit", "allowed_mime_types")):
        missing = [f"body must have required property '{m}'" for m in ("public", "file_size_limit", "allowed_mime_types")]
        raise refusals.invalid(", ".join([*missing, "body must match a schema in anyOf"]))
    changes: dict[str, object] = {}
    if "public" in wanted:
        changes["public"] = wanted.boolean("public", default=False)
    if "file_size_limit" in wanted and not generations.is_older():
        changes["file_size_limit"] = _limit(wanted)
    if "allowed_mime_types" in wanted and not generations.is_older():
        changes["allowed_mime_types"] = _types(wanted)
    caller = caller_of(request, ref)
    _check_limits(_limit(wanted), _types(wanted))
    found = _visible(ref, bucket, caller)
    Bucket.objects.filter(pk=found.pk).update(**changes)
    return answer({"message": "Successfully updated"})


@operation("S3", "POST", "/bucket/{bucket}/empty")
def empty(request: HttpRequest, ref: str, bucket: str) -> HttpResponse:
    """Deletes before it answers, although the answer announces it for later."""
    read_json(request, may_be_empty=True)
    if not caller_of(request, ref).is_service:
        raise refusals.wrong_role()
    found = catalog.find_bucket(ref, bucket)
    if found is None:
        raise refusals.no_bucket()
    if not faults.stays("S3"):
        catalog.empty(found, at_most=MOST_TO_EMPTY)
    older = generations.is_older()
    return answer(
        {"message": "Successfully emptied" if older else "Empty bucket has been queued. Completion may take up to an hour."}
    )


@operation("S6", "DELETE", "/bucket/{bucket}")
def delete(request: HttpRequest, ref: str, bucket: str) -> HttpResponse:
    """Objects in it are reported before a missing permission."""
    read_json(request, may_be_empty=True)
    caller = caller_of(request, ref)
    with transaction.atomic():
        found = catalog.find_bucket(ref, bucket)
        if found is None:
            raise refusals.no_bucket()
        if Entry.objects.filter(bucket=found).exists():
            raise refusals.not_empty()
        if not caller.is_service:
            raise refusals.no_bucket()
        found.delete()
    return answer({"message": "Successfully deleted"})


def _visible(ref: str, identifier: str, caller: Caller) -> Bucket:
    found = catalog.find_bucket(ref, identifier) if caller.sees_buckets else None
    if found is None:
        raise refusals.no_bucket()
    return found


def _limit(wanted: Members) -> int | None:
    return wanted.size("file_size_limit") if "file_size_limit" in wanted and not generations.is_older() else None


def _types(wanted: Members) -> list[str] | None:
    if generations.is_older() or "allowed_mime_types" not in wanted or wanted.data["allowed_mime_types"] is None:
        return None
    return [mime for mime in wanted.texts("allowed_mime_types") if mime]


def _check_limits(limit: int | None, types: list[str] | None) -> None:
    if limit is not None and limit > names.GLOBAL_SIZE_LIMIT:
        raise refusals.too_large()
    names.check_allowed_types(types or [])
