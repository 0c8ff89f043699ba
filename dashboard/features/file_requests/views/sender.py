"""The public page of a file request: enter a name, send files, and see those sent in this visit."""

import secrets
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.views.decorators.http import require_http_methods

from dashboard.catalog import limits
from dashboard.catalog.receipts import UnansweredUpload
from dashboard.catalog.uploads import content_type_of
from dashboard.features.file_requests import rules
from dashboard.features.file_requests.forms import SenderForm
from dashboard.features.file_requests.models import FileRequest, ReceivedFile
from dashboard.features.file_requests.services import reservations
from dashboard.interfaces import errors
from dashboard.interfaces.names import upload_problem
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.links import end_states
from dashboard.links.codes import digest
from dashboard.links.end_states import EndState, LinkClosed, require_open
from dashboard.links.guard import POLICY, ByCode, ask_password, draw, ends_of, is_locked
from dashboard.links.states import State
from dashboard.tokens.actor import acting_as
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace
from dashboard.web.failures.cards import Stopped
from dashboard.web.files.digests import DigestedBody
from dashboard.web.http.cookies import cookie_name
from dashboard.web.http.requests import BadBody, sized_body
from dashboard.web.input.forms import posted, status_of
from dashboard.web.limits.transfers import bulkhead

# The policy of link pages, plus the script that sends files and its requests to us.
SENDER_POLICY = f"{POLICY}; script-src 'self'; connect-src 'self'"
VISIT_SECONDS = 12 * 3600
SALT = "dashboard.file_requests.visit"
MOST_LISTED = 200
Sent = ReceivedFile.State


@dataclass(frozen=True, slots=True)
class Visit:
    """One sender in one browser, until the visit is closed, for half a day at most."""

    key: str
    name: str


def as_json(state: EndState) -> JsonResponse:
    return refusal(state.status, f"{state.title}.", state.text)


def refusal(status: int, title: str, text: str = "") -> JsonResponse:
    return JsonResponse({"title": title, "text": text}, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@ByCode(FileRequest, rules.BUCKET_MISSING)
def show(request: HttpRequest, asked: FileRequest, _code: str) -> HttpResponse:
    """Show the page (S4). A POST submits the password, then the name, which begins a visit."""
    require_open(asked, full=None)
    if is_locked(request, asked):
        return ask_password(request, asked)
    form = SenderForm(posted(request))
    if form.is_bound and form.is_valid():
        response = HttpResponse(status=303, headers={"Location": request.path})
        _begin_visit(response, asked, form.cleaned_data["name"])
        return response
    with _acting_for(asked):
        pass
    visit = None if "rename" in request.GET else _visit(request, asked)
    sent = _sent(asked, visit) if visit else []
    if asked.state is State.USED_UP and not sent:
        raise LinkClosed(rules.FULL)
    context: dict[str, object] = {
        "asked": asked,
        "form": form,
        "visit": visit,
        "sent": sent,
        "terms": rules.terms(asked),
        "accept": ",".join(asked.types.split()),
        "types": rules.types_in_words(asked),
        "is_full": asked.state is State.USED_UP,
        **ends_of(asked),
        "csrf_token": get_token(request),
        "here": request.path,
    }
    response = draw("file_requests/sender.html", context, status=status_of(form))
    response["Content-Security-Policy"] = SENDER_POLICY
    return response


@require_http_methods(["PUT"])
@ByCode(FileRequest, rules.BUCKET_MISSING, draw=as_json)
def upload(request: HttpRequest, asked: FileRequest, _code: str) -> HttpResponse:
    """Receive `?name=` and send the body on as it arrives (S9, after S4). One request takes at most a quarter of the threads."""
    require_open(asked, full=None)
    visit = None if is_locked(request, asked) else _visit(request, asked)
    if visit is None:
        return refusal(401, "This page is too old.", "Reload it, then send the file again.")
    try:
        body = sized_body(request)
        name, kind = request.GET.get("name", "")[:1000], request.content_type or ""
        with bulkhead(request), closing(DigestedBody(body)) as digested:
            return _receive(asked, visit, name, kind, digested)
    except BadBody as bad:
        return refusal(bad.status, str(bad))
    except UnansweredUpload:
        return JsonResponse({"state": "unknown", "name": name, "text": "We can't tell yet whether it arrived."}, status=202)
    except errors.TooLarge as large:
        return refusal(413, str(large), large.text)
    except Stopped as stopped:
        return refusal(stopped.problem.status, f"{stopped.problem.title}.", stopped.problem.result)


def _receive(asked: FileRequest, visit: Visit, claimed: str, kind: str, body: DigestedBody) -> HttpResponse:
    size = len(body)
    name = rules.safe_name(claimed, size)
    kind = content_type_of(name, kind)
    with _acting_for(asked) as (workspace, bucket):
        problem = (
            rules.file_problem(asked, name, size, kind)
            or upload_problem(rules.key_of(asked, "0" * 16, name), size)
            or limits.problem(bucket, size=size, content_type=kind)
        )
        if problem:
            return refusal(422, problem)
        file = ReceivedFile(request=asked, visit=visit.key, sender=visit.name, name=name, size=size, mimetype=kind[:200])
        reservations.reserve(file)
        workspace.action = f"visit-{visit.key[:24]}"
        reservations.receive(workspace, file, body)
    return JsonResponse({"state": "received", "name": name})


@contextmanager
def _acting_for(asked: FileRequest) -> Iterator[tuple[Workspace, Bucket]]:
    """Yield the owner's workspace and the bucket (S4). Raises `LinkClosed` for another token or a public bucket."""
    with acting_as(asked.owner, asked.grants) as workspace:
        storage = workspace.storage(asked.space)
        if workspace.fingerprint(Kind.STORAGE, asked.space) != asked.token:
            raise LinkClosed(end_states.CUT_OFF)
        bucket = storage.buckets.get(asked.bucket)
        if bucket.is_public:
            raise LinkClosed(rules.NOT_PRIVATE)
        yield workspace, bucket


def _sent(asked: FileRequest, visit: Visit) -> list[tuple[ReceivedFile, bool]]:
    """Return the files of this visit, and whether each has arrived. Doesn't reveal what members decided."""
    mine = ReceivedFile.objects.filter(request=asked, visit=visit.key)[:MOST_LISTED]
    return [(file, file.state != Sent.SENDING) for file in mine]


def _begin_visit(response: HttpResponse, asked: FileRequest, name: str) -> None:
    value = signing.dumps({"visit": secrets.token_urlsafe(16), "name": name}, salt=_salt(asked))
    response.set_cookie(_cookie(asked), value, secure=settings.HTTPS, httponly=True, samesite="Lax")


def _visit(request: HttpRequest, asked: FileRequest) -> Visit | None:
    try:
        found = signing.loads(request.COOKIES.get(_cookie(asked), ""), salt=_salt(asked), max_age=VISIT_SECONDS)
    except signing.BadSignature:
        return None
    return Visit(digest(found["visit"], purpose="visit"), found["name"])


def _cookie(asked: FileRequest) -> str:
    return cookie_name(f"visit_{digest(str(asked.pk), purpose='cookie')[:16]}")


def _salt(asked: FileRequest) -> str:
    return f"{SALT}:{asked.pk}"
