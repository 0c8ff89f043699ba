"""The record of one upload: which file became which object."""

from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urlencode

from django.http import Http404, HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from dashboard.catalog.keys import folder_of, printable
from dashboard.catalog.receipts import touched
from dashboard.features.objects.records import Query
from dashboard.features.objects.services import batch as batches
from dashboard.features.objects.services.batch import ACTION, Stored
from dashboard.features.objects.views.rows import bucket_address
from dashboard.journal.models import TRANSFERS, Entries, Entry
from dashboard.team.models import Person
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.files import spreadsheet
from dashboard.web.files.downloads import attach
from dashboard.web.http.requests import read_number
from dashboard.web.pages.answers import page
from dashboard.web.pages.pagination import part_of_total
from dashboard.web.process.database import in_chunks
from dashboard.web.text import counted, sortable

LIST = "upload-record"
COLUMNS = ("file", "object", "bytes", "md5", "time", "person", "outcome")


class Row(NamedTuple):
    """`href`: the object in its folder."""

    file: Stored
    name: str
    key: str
    href: str


@require_safe
@with_workspace
def show(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    person, found = _found(request, space, bucket)
    base = bucket_address(space, bucket)

    def read(start: int, end: int) -> list[Row]:
        return [
            Row(one, printable(one.name), printable(one.key), base + Query(path=folder_of(one.key), open=one.key).text())
            for one in batches.stored(found[start:end], bucket)
        ]

    total = found.count()
    context = {
        "space": space,
        "space_title": request.workspace.title(space),
        "bucket": bucket,
        "base": base,
        "person": person,
        "at": found[0].started_at,
        "total": counted(total, "file"),
        "page": part_of_total(request, total, read),
        "export_url": f"{reverse('objects:batch_export', args=[space, bucket])}?{request.GET.urlencode()}",
        "target": LIST,
    }
    return page(request, "objects/batch.html", context, parts={LIST: "objects/_batch.html"})


@require_safe
@with_workspace
def export(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponseBase:
    """The whole record as CSV."""
    person, found = _found(request, space, bucket)
    return attach(_lines(person, found, bucket), filename=f"upload-{timezone.now():%Y-%m-%d}.csv", kind=spreadsheet.TYPE)


def page_of(entry: Entry) -> str:
    """Return the address of the upload that an entry is part of; "" if it is no upload."""
    begins, _, rest = entry.target.partition(" ")
    bucket, slash, key = rest.partition("/")
    is_upload = entry.operation in TRANSFERS and entry.action.startswith(ACTION)
    if not (is_upload and slash and f"{begins} {rest}" == touched(bucket, key)):
        return ""
    query = urlencode({"batch": entry.action.removeprefix(ACTION), "by": entry.person_id})
    return f"{reverse('objects:batch', args=[entry.place, bucket])}?{query}"


def _found(request: WorkspaceRequest, space: str, bucket: str) -> tuple[Person, Entries]:
    """Return who uploaded, and the entries of the upload `?batch=`; another person's with `&by=`."""
    person_id = read_number(request.GET.get("by", "")) or request.user.pk
    found = batches.find(request.user, space, bucket, request.GET.get("batch", ""), person_id)
    if found is None:
        raise Http404("There is no record of this upload, or it is not yours.")
    return Person.objects.get(pk=person_id), found


def _lines(person: Person, found: Entries, bucket: str) -> Iterator[str]:
    yield spreadsheet.line(COLUMNS)
    for one in batches.stored(in_chunks(found, 500), bucket):
        yield spreadsheet.line((one.name, one.key, one.size, one.md5, sortable(one.at), person, one.outcome.value))
