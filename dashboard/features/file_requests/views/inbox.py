"""Show, accept and reject the files that arrived by a request."""

from django.http import HttpResponse, QueryDict
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dashboard.catalog.keys import folder_of
from dashboard.features.file_requests.models import FileRequest, ReceivedFile
from dashboard.features.file_requests.rules import terms
from dashboard.features.file_requests.services import inbox, requests
from dashboard.features.file_requests.services.inbox import Tally
from dashboard.features.file_requests.services.reservations import settle
from dashboard.features.file_requests.views.requests import find, line_of
from dashboard.team.access import PersonRequest, signed_in
from dashboard.team.rights import needs
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.failures.operations import sends
from dashboard.web.failures.problems import sentence
from dashboard.web.http.requests import read_number
from dashboard.web.pages import pagination
from dashboard.web.pages.answers import done, page
from dashboard.web.pages.confirm import TYPED_FROM, confirm
from dashboard.web.pages.navigation import inner_address
from dashboard.web.text import bytes_text, counted

PER_PAGE = 100
LIST = "received-files"
NAMED = 3
State = ReceivedFile.State
TONES = {
    State.SENDING: "waiting",
    State.RECEIVED: "attention",
    State.ACCEPTING: "waiting",
    State.REJECTING: "waiting",
    State.ACCEPTED: "good",
    State.REJECTED: "neutral",
    State.MISSING: "danger",
}


@require_safe
@signed_in
@needs()
@sends("S11")
def show(request: PersonRequest, request_id: int) -> HttpResponse:
    """Show the files of a request, those to review first. Calls no service."""
    asked = find(request, request_id)
    row = requests.rows(request.user, [asked])[0]
    found = asked.received.select_related("decided_by")
    to_review = list(found.filter(state=State.RECEIVED))
    others = found.exclude(state=State.RECEIVED)
    context = {
        "asked": asked,
        "line": line_of(request, row),
        "row": row,
        "bytes": [bytes_text(asked.bytes), bytes_text(asked.most_total)],
        "terms": terms(asked),
        "to_review": [
            (file, inner_address("bucket", asked.space, asked.bucket, path=folder_of(file.key), open=file.key))
            for file in to_review
        ],
        "until": max((file.pk for file in to_review), default=0),
        "page": pagination.part_of_total(
            request,
            others.count(),
            lambda start, end: [(file, TONES[State(file.state)]) for file in others[start:end]],
            limit=PER_PAGE,
        ),
    }
    return page(request, "file_requests/inbox.html", context, parts={LIST: "file_requests/_inbox.html"})


@require_POST
@with_workspace
@sends("S11")
def accept(request: WorkspaceRequest, request_id: int) -> HttpResponse:
    """Accept `file`, or all files up to the id `until`, so that none is accepted unseen. S15 and S11 for each."""
    asked = find(request, request_id)
    request.workspace.require("storage", asked.space)
    settle(asked.received.all())
    files = _chosen(asked, request.POST)
    request.workspace.action = f"accept-{asked.pk}-{files[-1].pk}" if len(files) > 1 else ""
    tally = inbox.accept(request.workspace, asked, files)
    return _done(request, asked, files, tally, "accepted")


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
@sends("S7")
def reject(request: WorkspaceRequest, request_id: int) -> HttpResponse:
    """Reject files, chosen as in `accept`. S7 for each."""
    asked = find(request, request_id)
    request.workspace.require("storage", asked.space)
    if request.method == "POST":
        settle(asked.received.all())
    files = _chosen(asked, request.GET)
    if not files:
        return _done(request, asked, [], Tally(), "rejected")
    request.workspace.action = f"reject-{asked.pk}-{files[-1].pk}" if len(files) > 1 else ""
    return confirm(
        request,
        title=f"Reject {_named(files)}",
        button=f"Reject {'file' if len(files) == 1 else counted(len(files), 'file')}",
        consequences=[f"{'It is' if len(files) == 1 else 'They are'} deleted for good. The sender isn't told."],
        perform=lambda: inbox.reject(request.workspace, asked, files),
        then=lambda tally: _done(request, asked, files, tally, "rejected"),
        back=reverse("file_requests:inbox", args=(asked.pk,)),
        count=len(files),
        typed=str(len(files)) if len(files) >= TYPED_FROM else None,
    )


def _chosen(asked: FileRequest, data: QueryDict) -> list[ReceivedFile]:
    found = inbox.waiting(asked)
    one, until = read_number(data.get("file", "")), read_number(data.get("until", ""))
    return list(found.filter(pk__lte=until or 0) if one is None else found.filter(pk=one))


def _done(request: WorkspaceRequest, asked: FileRequest, files: list[ReceivedFile], tally: Tally, verb: str) -> HttpResponse:
    sentences = _sentences(asked, files, tally, verb)
    is_good = tally.done and not (tally.refused or tally.missing or tally.busy)
    tone = "info" if tally.unknown or (is_good and tally.left) else "good" if is_good else "danger"
    to = reverse("file_requests:inbox", args=(asked.pk,))
    return done(request, " ".join(sentences), changed=("requests", "objects"), to=to, tone=tone)


def _named(files: list[ReceivedFile]) -> str:
    """Name a single file; count several."""
    return f"“{files[0].name}”" if len(files) == 1 else counted(len(files), "file")


def _sentences(asked: FileRequest, files: list[ReceivedFile], tally: Tally, verb: str) -> list[str]:
    """Describe the outcome for the files, each kind in one sentence."""
    what = _named(files) if len(files) == 1 else counted(tally.done, "file")
    found = [f"{what} {verb}."] if tally.done else []
    found += [f"“{old}” is now “{new}”, since the name was taken." for old, new in tally.renamed[:NAMED]]
    if len(tally.renamed) > NAMED:
        found.append(f"{len(tally.renamed) - NAMED:,} more were renamed.")
    if tally.unknown:
        found.append(f"The outcome of {counted(tally.unknown, 'file')} is unknown and still being checked.")
    if tally.missing:
        found.append(f"{counted(tally.missing, 'file')} not found: deleted or moved in the meantime.")
    found += [f"“{name}” was not {verb}: {sentence(error)}" for name, error in tally.refused[:NAMED]]
    if len(tally.refused) > NAMED:
        found.append(f"{len(tally.refused) - NAMED:,} more were not {verb}.")
    if tally.busy:
        found.append(f"“{tally.busy[0]}” was not {verb}: an earlier change is still being checked or sent.")
    if tally.left:
        found.append(f"{counted(tally.left, 'file')} left. Repeat to go on.")
    if not found:
        in_doubt = inbox.in_doubt(asked).count()
        found.append(f"The outcome of {counted(in_doubt, 'file')} is still being checked." if in_doubt else "No files to review.")
    return found
