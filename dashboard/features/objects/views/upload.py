"""Upload files: plan, store one file per PUT, verify; and a form that works without scripts."""

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sized
from contextlib import closing, nullcontext
from dataclasses import asdict
from functools import wraps
from typing import Annotated, ParamSpec, TypeVar, cast

import msgspec
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from dashboard.catalog import limits, receipts
from dashboard.catalog.keys import folder, printable
from dashboard.catalog.labels import CACHING, TYPE_ADVICE, TYPE_PATTERN, TYPES, cache_problem, type_problem
from dashboard.catalog.leases import KeyInUseError, seconds_to_store
from dashboard.catalog.receipts import UnansweredUpload
from dashboard.catalog.uploads import POLICIES, Policy, content_type_of, store
from dashboard.features.objects.forms import FORM_BYTES, MOST_OFFSET, UploadForm, replacing
from dashboard.features.objects.records import Query
from dashboard.features.objects.services import upload as upload_service
from dashboard.features.objects.services.batch import action_of
from dashboard.features.objects.services.details import read_bucket
from dashboard.features.objects.services.upload import FILES_AT_ONCE, Offered, policies_of
from dashboard.features.objects.views.rows import bucket_address
from dashboard.interfaces.errors import Conflict, InterfaceError
from dashboard.interfaces.names import upload_problem
from dashboard.snapshots import trash
from dashboard.snapshots.manifest import Head
from dashboard.snapshots.replacements import WITHOUT, Keeper, NotKept
from dashboard.snapshots.sight import sees
from dashboard.team.rights import needs
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.failures import local_problems
from dashboard.web.failures.cards import Problem, Stopped, marked
from dashboard.web.failures.operations import sends
from dashboard.web.failures.problems import answer_of, problem_of
from dashboard.web.files.digests import DigestedBody
from dashboard.web.http.requests import BadBody, BodyTooLarge, announced_length, read_json, sized_body
from dashboard.web.limits.transfers import Busy, transfer
from dashboard.web.pages.answers import done, page, submit
from dashboard.web.pages.errors import NeedsToken, token_needed
from dashboard.web.pages.htmx import wants_part
from dashboard.web.process.parallel import side_by_side

log = logging.getLogger(__name__)

BATCH_MAX_LENGTH = 30

P = ParamSpec("P")
T = TypeVar("T")
Start = dict[str, Annotated[int, msgspec.Meta(ge=0, le=MOST_OFFSET)]]


class PlanRequest(msgspec.Struct):
    """[key, bytes, type] of each file, and where listings may continue."""

    files: list[tuple[str, Annotated[int, msgspec.Meta(ge=0)], str]]
    start: Start = {}


class CheckRequest(msgspec.Struct):
    """The receipts of uploads, and where listings may continue."""

    receipts: list[receipts.Receipt]
    start: Start = {}


def json_errors(view: Callable[P, HttpResponseBase]) -> Callable[P, HttpResponseBase]:
    """Turn failures into JSON for the upload script: `{title, text, retry_after}` with the status of the error page.

    A redirect to the sign-in page becomes 401, since a script would follow it.
    """

    @wraps(view)
    def inner(*args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        try:
            response = view(*args, **kwargs)
        except InterfaceError as error:
            doubt = _doubt_of(error) if isinstance(error, UnansweredUpload) else None
            return as_json(problem_of(error), said=error.text, doubt=doubt)
        except NotKept as unkept:
            return marked(refusal(422, " ".join(unkept.messages)), local_problems.NOT_KEPT)
        except (Busy, BadBody, Stopped, OperationalError, NeedsToken) as error:
            return as_json(_own(cast("HttpRequest", args[0]), error))
        if isinstance(response, HttpResponseRedirect):
            refused = refusal(401, "Signed out.", "Sign in again in another tab.")
            refused["X-Problem"] = "SignedOut"
            return refused
        return response

    return inner


@require_GET
@with_workspace
def tray(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """The empty tray that the upload scripts fill. Calls no service."""
    if not wants_part(request):
        return redirect(bucket_address(space, bucket))
    choices = {
        "replacing": replacing(trash.days_of(space, bucket)),
        "caching": CACHING,
        "types": TYPES,
        "type_pattern": TYPE_PATTERN,
        "type_advice": TYPE_ADVICE,
    }
    return page(request, "objects/_tray.html", {"space": space, "bucket": bucket, **choices})


@require_POST
@json_errors
@with_workspace
def plan(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Check each name and suggest a better one; tell whether the object is new, of the same size or different."""
    asked = _read(request, PlanRequest)
    _require_few(asked.files)
    files = [Offered(*file) for file in asked.files]
    planned = upload_service.plan(request.workspace, space, bucket, files, start=asked.start, parallel=side_by_side)
    return JsonResponse({"files": [asdict(verdict) for verdict in planned.verdicts], "reached": planned.reached})


@require_POST
@json_errors
@with_workspace
def check(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Verify what was stored: `verdicts` and known `sizes` by key."""
    asked = _read(request, CheckRequest)
    _require_few(asked.receipts)
    checked = receipts.check(request.workspace, space, bucket, asked.receipts, start=asked.start, parallel=side_by_side)
    return JsonResponse(asdict(checked))


# The length is checked before the CSRF token, which can only be read with the whole body.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST", "PUT"])
@sends("S9", "S10")
@needs("S9")
def upload(request: HttpRequest, space: str, bucket: str) -> HttpResponseBase:
    """PUT: one file as the raw body. GET and POST: the form without scripts."""
    if request.method == "PUT":
        return _file(request, space, bucket)
    if (announced_length(request) or 0) > FORM_BYTES:
        raise BodyTooLarge(f"This form accepts at most {FORM_BYTES // 10**6} MB. With JavaScript there is no limit.")
    return _form(request, space, bucket)


@csrf_protect
@json_errors
@with_workspace
@transfer
def _file(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponseBase:
    """`?key=&policy=new|replace|unkept|both&name=&batch=&cache=&type=&kept=`; the body goes to S9 or S10 as it arrives.

    "replace" keeps the object that is there, together with those that the snapshot `kept` holds; "unkept" doesn't.
    """
    key = request.GET.get("key", "")
    policy, keeper = _policy(request, space, bucket, key, request.GET.get("policy", "new"), kept=request.GET.get("kept", ""))
    if policy not in POLICIES:
        return refusal(400, "The policy is missing.")
    if batch := request.GET.get("batch", "")[:BATCH_MAX_LENGTH]:
        request.workspace.action = action_of(batch)
    caching, kind = request.GET.get("cache", ""), request.GET.get("type", "")
    if caching and (refused := cache_problem(caching)):
        return refusal(400, "Invalid Cache-Control.", refused)
    if kind and (refused := type_problem(kind)):
        return refusal(400, "Invalid content type.", refused)
    body = sized_body(request)
    if problem := upload_problem(key, len(body)):
        return refusal(422, "Invalid name.", problem)
    with closing(DigestedBody(body)) as digested, keeper or nullcontext():
        receipt = store(
            request.workspace,
            space,
            bucket,
            key,
            digested,
            size=len(body),
            content_type=kind or content_type_of(key, request.content_type or ""),
            policy=policy,
            cache_control=caching,
            name=request.GET.get("name", ""),
            opened=keeper,
        )
    kept = keeper.head if keeper else None
    return JsonResponse(asdict(receipt) | ({"kept": kept.id, "trash": _trash(request, kept)} if kept else {}))


@csrf_protect
@with_workspace
def _form(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Small files, one after the other; S4 first for the bucket's limits."""
    path = folder((request.POST or request.GET).get("path", ""))
    posted = (request.POST, request.FILES) if request.method == "POST" else ()
    form = UploadForm(*posted, initial={"path": path}, days=trash.days_of(space, bucket))
    kept: list[Head] = []
    unkept: list[str] = []
    back = bucket_address(space, bucket) + Query(path=path).text()
    found = read_bucket(request.workspace, space, bucket)
    known = None if isinstance(found, InterfaceError) else found

    def type_of(file: "UploadedFile[bytes]") -> str:
        return form.cleaned_data["content_type"] or content_type_of(file.name or "", file.content_type or "")

    def problem_of(file: "UploadedFile[bytes]") -> str:
        key, kind = f"{path}{file.name}", type_of(file)
        return upload_problem(key, file.size or 0) or (
            limits.problem(known, size=file.size or 0, content_type=kind) if known else ""
        )

    def store_one(file: "UploadedFile[bytes]", policies: Mapping[str, str]) -> bool:
        """Store one file. Return False if it was skipped because its name is taken."""
        size = file.size or 0
        key = f"{path}{file.name}"
        policy, keeper = _policy(request, space, bucket, key, policies[key], kept=kept[-1].id if kept else "")
        try:
            with closing(DigestedBody(file.read() if size else b"")) as body, keeper or nullcontext():
                store(
                    request.workspace,
                    space,
                    bucket,
                    key,
                    body,
                    size=size,
                    content_type=type_of(file),
                    policy=policy,
                    cache_control=form.cleaned_data["caching"],
                    opened=keeper,
                )
        except (Conflict, KeyInUseError):
            return False
        except NotKept as error:
            unkept.append(f"{file.name}: {' '.join(error.messages)}")
            return False
        finally:
            kept.extend([keeper.head] if keeper and keeper.head else [])
        return True

    def perform() -> int:
        given = cast("list[UploadedFile[bytes]]", form.cleaned_data["chosen"])
        problems = [f"{file.name}: {problem}" for file in given if (problem := problem_of(file))]
        counts = Counter(str(file.name) for file in given)
        problems += [f"{name}: {count} files have this name." for name, count in counts.items() if count > 1]
        if problems:
            raise ValidationError({"chosen": problems})
        keys = [f"{path}{file.name}" for file in given]
        policies = policies_of(request.workspace, space, bucket, keys, form.cleaned_data["policy"])
        return sum(store_one(file, policies) for file in given)

    def finish(count: int) -> HttpResponse:
        message = " ".join([f"{count} of {len(form.cleaned_data['chosen'])} files uploaded.", *unkept])
        link = ("Open trash", _trash(request, kept[-1])) if kept and _trash(request, kept[-1]) else None
        return done(request, message, changed="objects", to=back, link=link, tone="info" if unkept else "good")

    return submit(
        request,
        form,
        perform=perform,
        then=finish,
        context={
            "title": "Upload files",
            "button": "Upload files",
            "lead": f"To {printable(f'{bucket}/{path}')}. {limits.in_words(known) if known else ''}",
            "back": back,
        },
    )


def _policy(
    request: WorkspaceRequest, space: str, bucket: str, key: str, chosen: str, *, kept: str
) -> tuple[Policy, Keeper | None]:
    """Return how to store the file, and what keeps the object that it replaces."""
    if chosen == WITHOUT[0]:
        return "replace", None
    keeps = chosen == "replace" and trash.days_of(space, bucket)
    return cast("Policy", chosen), Keeper(request.workspace, space, bucket, key, earlier=kept) if keeps else None


def _trash(request: WorkspaceRequest, kept: Head) -> str:
    """Return the address of the trash, if the person sees it."""
    return reverse("snapshots:trash", args=[kept.space, kept.bucket]) if sees(request.workspace, kept.space) else ""


def _read(request: WorkspaceRequest, shape: type[T]) -> T:
    try:
        return read_json(request.body, shape)
    except ValueError:
        raise BadBody("The list of files could not be read.") from None


def _require_few(files: Sized) -> None:
    if len(files) > FILES_AT_ONCE:
        raise BodyTooLarge(f"At most {FILES_AT_ONCE:,} files can be checked at once.")


def _own(request: HttpRequest, error: Exception) -> Problem:
    """The problem when Pilothouse itself failed."""
    match error:
        case Busy():
            return local_problems.busy(own=error.own)
        case BadBody():
            return local_problems.bad_body(error.status, str(error))
        case Stopped():
            return error.problem
        case NeedsToken():
            return token_needed(request, error)
    log.error("Our database failed.", exc_info=error)
    return local_problems.of_failure(error)


def refusal(status: int, title: str, text: str = "") -> JsonResponse:
    return JsonResponse({"title": title, "text": text, "retry_after": None}, status=status)


def _doubt_of(error: UnansweredUpload) -> dict[str, object]:
    """What the script needs to find out whether the file was stored: `seconds` is how long that may still happen."""
    sent = error.receipt
    return {"receipt": asdict(sent), "answer": answer_of(error.status), "seconds": seconds_to_store(sent.size)}


def as_json(problem: Problem, *, said: str = "", doubt: Mapping[str, object] | None = None) -> JsonResponse:
    text = f"The service reported: “{said}”." if said else problem.result
    response = JsonResponse(
        {"title": f"{problem.title}.", "text": text, "retry_after": problem.retry_after, **(doubt or {})},
        status=problem.status,
    )
    return marked(response, problem)
