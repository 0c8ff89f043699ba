"""M9 … M14: functions, sent as JSON with source text, or as a bundle with everything else in the query."""

import json
import re
import time

from django.db import transaction
from django.http import HttpRequest, HttpResponse

from dashboard.sandbox import faults, generations
from dashboard.sandbox.answers import answer, form, raw
from dashboard.sandbox.errors import ManagementRefusal
from dashboard.sandbox.management.bodies import Members, boolean, json_body, read, refuse, string
from dashboard.sandbox.models import Function, Project
from dashboard.sandbox.operations import operation

BUNDLE = "application/vnd.denoland.eszip"
NEW_SLUG = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
LARGEST_BUNDLE = 20 << 20
LARGEST_SOURCE = 5 << 20
MOST = 100
PATHS = ("entrypoint_path", "import_map_path")
MARKS = re.compile(rb"ESZIP|EZBR")
# not shown: where the service keeps a source text that came without a file name
ENTRY_PATH = "source/index.ts"
ENTRY_POINT = json.dumps({"deno2_entrypoint_path": ENTRY_PATH}).encode()
SLUG_TEXT = (
    "Invalid Function name. Must start with at least one letter, "
    "and only include alphanumeric characters, underscores, and hyphens."
)


def now() -> int:
    """Return milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def record(function: Function) -> dict[str, object]:
    """Return a function's record; today's also has the bundle's paths, if sent."""
    paths = {} if generations.is_older() else {name: getattr(function, name) for name in PATHS}
    return {
        "id": str(function.id),
        "slug": function.slug,
        "name": function.name,
        "status": function.status,
        "version": function.version,
        "created_at": function.created_at,
        "updated_at": function.updated_at,
        "verify_jwt": function.verify_jwt,
        "import_map": function.import_map,
        **{name: path for name, path in paths.items() if path},
    }


@operation("M10", "GET", "/v1/projects/{ref}/functions")
def all(_request: HttpRequest, project: Project) -> HttpResponse:  # noqa: A001 - the document's word
    return answer([record(function) for function in Function.objects.filter(project=project).order_by("slug").defer("body")])


@operation("M11", "GET", "/v1/projects/{ref}/functions/{function_slug}")
def get(_request: HttpRequest, project: Project, function_slug: str) -> HttpResponse:
    return answer(record(_found(project, function_slug)))


@operation("M9", "POST", "/v1/projects/{ref}/functions")
def create(request: HttpRequest, project: Project) -> HttpResponse:
    wanted = _bundle(request) if request.content_type == BUNDLE else _source(request, new=True)
    if "slug" not in wanted:
        raise refuse("slug", "Required")
    slug = str(wanted.pop("slug"))
    _forget_flags("M9", wanted)
    if not NEW_SLUG.fullmatch(slug):
        raise refuse("slug", SLUG_TEXT)
    with transaction.atomic():
        there = Function.objects.filter(project=project)
        there.filter(slug=slug, status="REMOVED").delete()
        if there.filter(slug=slug).exists():
            # not shown: the status of this refusal
            raise ManagementRefusal(400, "Duplicated function slug")
        if there.exclude(status="REMOVED").count() >= MOST:
            raise ManagementRefusal(402, "Maximum number of functions reached for Plan")
        made = now()
        function = Function.objects.create(
            **{"name": slug} | wanted, project=project, slug=slug, created_at=made, updated_at=made
        )
    return answer(record(function), 201)


@operation("M12", "PATCH", "/v1/projects/{ref}/functions/{function_slug}")
def update(request: HttpRequest, project: Project, function_slug: str) -> HttpResponse:
    """Every change raises the version; a `slug` is ignored."""
    wanted = _bundle(request) if request.content_type == BUNDLE else _source(request, new=False)
    wanted.pop("slug", None)
    _forget_flags("M12", wanted)
    with transaction.atomic():
        function = _found(project, function_slug)
        for name, value in wanted.items():
            setattr(function, name, value)
        if wanted:
            function.version += 1
            function.updated_at = max(now(), function.updated_at + 1)
            function.save()
    return answer(record(function))


@operation("M13", "DELETE", "/v1/projects/{ref}/functions/{function_slug}")
def delete(_request: HttpRequest, project: Project, function_slug: str) -> HttpResponse:
    _found(project, function_slug).delete()
    return answer({"message": "ok"})


@operation("M14", "GET", "/v1/projects/{ref}/functions/{function_slug}/body")
def body(request: HttpRequest, project: Project, function_slug: str) -> HttpResponse:
    """The bytes as uploaded, or the source text.

    Today's service sends source files to clients that accept a form. The sandbox doesn't unpack bundles.
    """
    stored = bytes(_found(project, function_slug).body)
    if "multipart/form-data" not in request.headers.get("Accept", "") or generations.is_older() or MARKS.match(stored):
        return raw(stored)
    # not shown: the names of the parts
    return form([('name="metadata"', ENTRY_POINT), (f'name="file"; filename="{ENTRY_PATH}"', stored)])


def _found(project: Project, slug: str) -> Function:
    function = Function.objects.filter(project=project, slug=slug).first()
    if function is None:
        # not shown: the text for an unknown function
        raise ManagementRefusal(404, "Function not found")
    return function


def _forget_flags(operation: str, wanted: dict[str, object]) -> None:
    """Drop flags silently if the fault `stay` is set, as older services did."""
    if faults.stays(operation):
        wanted.pop("verify_jwt", None)
        wanted.pop("import_map", None)


def _source(request: HttpRequest, *, new: bool) -> dict[str, object]:
    """Return the JSON members; `new` requires slug, name and body. Flags may be in the query."""
    body = Members(json_body(request))
    wanted: dict[str, object] = {name: body.text(name) for name in ("slug", "name", "body") if new or name in body}
    if "body" in wanted:
        code = str(wanted["body"]).encode()
        if len(code) > LARGEST_SOURCE:
            raise ManagementRefusal(400, "Function source code exceeds the maximum deployment size")
        wanted["body"] = code
    for name in ("verify_jwt", "import_map"):
        flag = body.optional(name, boolean)
        if flag is not None:
            wanted[name] = flag
        elif name in request.GET:
            wanted[name] = _flag(request.GET[name], name)
    return wanted


def _bundle(request: HttpRequest) -> dict[str, object]:
    """Return the bundle's bytes and the query's members."""
    code = read(request)
    if len(code) > LARGEST_BUNDLE:
        raise ManagementRefusal(400, "The function size exceeds the allowable limit")
    wanted: dict[str, object] = {"body": code} if code else {}
    for name in ("slug", "name", *(() if generations.is_older() else PATHS)):
        if name in request.GET:
            wanted[name] = string(request.GET[name], name)
    for name in ("verify_jwt", "import_map"):
        if name in request.GET:
            wanted[name] = _flag(request.GET[name], name)
    if request.method == "POST" and not code:
        # not shown: how a bundle without a byte is refused
        raise refuse("body", "Required")
    return wanted


def _flag(text: str, at: str) -> bool:
    flags = {"true": True, "1": True, "false": False, "0": False}
    if text.lower() not in flags:
        raise refuse(at, "Expected boolean, received string")
    return flags[text.lower()]
