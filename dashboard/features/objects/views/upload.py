"""Files from a browser to the bucket: the plan before the first byte, one file as it is, and a form for those without script."""

from collections import Counter
from collections.abc import Mapping, Sized
from dataclasses import asdict
from typing import Annotated, TypeVar, cast

import msgspec
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from dashboard.catalog import limits
from dashboard.catalog.keys import folder
from dashboard.catalog.leases import KeyInUseError
from dashboard.features.objects.forms import FORM_BYTES, FURTHEST, UploadForm
from dashboard.features.objects.services import receipts
from dashboard.features.objects.services.browse import Query, read_bucket
from dashboard.features.objects.services.upload import (
    FILES_AT_ONCE,
    POLICIES,
    Offered,
    Policy,
    content_type_of,
    judge,
    policies_of,
    store,
)
from dashboard.features.objects.views.json_errors import refusal, speaks_json
from dashboard.features.objects.views.rows import bucket_address
from dashboard.interfaces.errors import Conflict, InterfaceError
from dashboard.interfaces.names import upload_problem
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.answers import done, page, submit
from dashboard.web.htmx import wants_part
from dashboard.web.parallel import side_by_side
from dashboard.web.requests import BadBody, BodyTooLarge, announced_length, read_json, sized_body
from dashboard.web.transfers import transfer

T = TypeVar("T")
Start = dict[str, Annotated[int, msgspec.Meta(ge=0, le=FURTHEST)]]


class Asked(msgspec.Struct):
    """What the upload script sends: [key, bytes, claimed type] of each file, and where listings may go on."""

    files: list[tuple[str, Annotated[int, msgspec.Meta(ge=0)], str]]
    start: Start = {}


class Stored(msgspec.Struct):
    """The receipts that uploads were answered with, and where listings may go on."""

    receipts: list[receipts.Receipt]
    start: Start = {}


@require_GET
@with_workspace
def tray(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """What the upload scripts fill. Nobody is asked."""
    if not wants_part(request):
        return redirect(bucket_address(space, bucket))
    return page(request, "objects/_tray.html", {"space": space, "bucket": bucket})


@require_POST
@speaks_json
@with_workspace
def plan(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """What is wrong with each name, what would do instead, and whether it is new, of the same size or different."""
    asked = _read(request, Asked)
    _bounded(asked.files)
    files = [Offered(*file) for file in asked.files]
    judged = judge(request.workspace, space, bucket, files, start=asked.start, together=side_by_side)
    return JsonResponse({"files": [asdict(verdict) for verdict in judged.verdicts], "reached": judged.reached})


@require_POST
@speaks_json
@with_workspace
def check(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Reads back what was stored: `verdicts` and, where the service tells them, `sizes` by key."""
    asked = _read(request, Stored)
    _bounded(asked.receipts)
    checked = receipts.check(request.workspace, space, bucket, asked.receipts, start=asked.start, together=side_by_side)
    return JsonResponse(asdict(checked))


def _read(request: WorkspaceRequest, shape: type[T]) -> T:
    try:
        return read_json(request.body, shape)
    except ValueError:
        raise BadBody("The list of files could not be read.") from None


def _bounded(files: Sized) -> None:
    if len(files) > FILES_AT_ONCE:
        raise BodyTooLarge(f"At most {FILES_AT_ONCE:,} files can be checked at once.")


# The form's length is looked at before its CSRF token: to read that, the whole body would be taken in.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST", "PUT"])
def upload(request: HttpRequest, space: str, bucket: str) -> HttpResponseBase:
    """PUT is one file as it is; GET and POST are the form for those without script."""
    if request.method == "PUT":
        return _file(request, space, bucket)
    if (announced_length(request) or 0) > FORM_BYTES:
        raise BodyTooLarge(f"This form takes at most {FORM_BYTES // 1024 // 1024} MiB. With JavaScript there is no such limit.")
    return _form(request, space, bucket)


@csrf_protect
@speaks_json
@with_workspace
@transfer
def _file(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponseBase:
    """`?key=&policy=new|replace|both`, the body handed on to S9 or S10 as it arrives: nothing is kept here."""
    key, policy = request.GET.get("key", ""), request.GET.get("policy", "new")
    if policy not in POLICIES:
        return refusal(400, "It is not said what to do where the name is taken.")
    body = sized_body(request)
    if problem := upload_problem(key, len(body)):
        return refusal(422, "This name can't be used.", problem)
    receipt = store(
        request.workspace,
        space,
        bucket,
        key,
        body,
        size=len(body),
        content_type=request.content_type or "",
        policy=policy,
    )
    return JsonResponse(asdict(receipt))


@csrf_protect
@with_workspace
def _form(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Small files of one form, one after the other; S4 first, for the bucket's limits."""
    path = folder((request.POST or request.GET).get("path", ""))
    form = UploadForm(request.POST, request.FILES) if request.method == "POST" else UploadForm(initial={"path": path})
    back = bucket_address(space, bucket) + Query(path=path).text()
    found = read_bucket(request.workspace, space, bucket)
    known = None if isinstance(found, InterfaceError) else found

    def problem_of(file: "UploadedFile[bytes]") -> str:
        key = f"{path}{file.name}"
        kind = content_type_of(key, file.content_type or "")
        return upload_problem(key, file.size or 0) or (
            limits.problem(known, size=file.size or 0, content_type=kind) if known else ""
        )

    def store_one(file: "UploadedFile[bytes]", policies: Mapping[str, Policy]) -> bool:
        """False where the name is taken and the file was to be left out then."""
        size = file.size or 0
        key = f"{path}{file.name}"
        try:
            store(
                request.workspace,
                space,
                bucket,
                key,
                file.read() if size else b"",
                size=size,
                content_type=file.content_type or "",
                policy=policies[key],
            )
        except (Conflict, KeyInUseError):
            return False
        return True

    def perform() -> int:
        given = cast("list[UploadedFile[bytes]]", form.cleaned_data["chosen"])
        problems = [f"{file.name}: {problem}" for file in given if (problem := problem_of(file))]
        counts = Counter(str(file.name) for file in given)
        problems += [f"{name}: {count} of these files have this name." for name, count in counts.items() if count > 1]
        if problems:
            raise ValidationError({"chosen": problems})
        keys = [f"{path}{file.name}" for file in given]
        policies = policies_of(request.workspace, space, bucket, keys, form.cleaned_data["policy"])
        return sum(store_one(file, policies) for file in given)

    return submit(
        request,
        form,
        "objects/_upload_form.html",
        perform=perform,
        then=lambda count: done(
            request, f"{count} of {len(form.cleaned_data['chosen'])} files stored.", changed="objects", to=back
        ),
        context={"title": "Upload files", "lead": f"To {bucket}/{path}. {limits.in_words(known) if known else ''}", "back": back},
    )
