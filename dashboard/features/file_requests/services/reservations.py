"""Receive files from outsiders. A file's place is reserved before its first byte, and released if it is not stored.

Reservations are counted by one conditional UPDATE, so simultaneous senders on several web processes never exceed the limits. The
outcome of a write is read from the journal, where lost answers are settled.
"""

import secrets
from datetime import timedelta

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from dashboard.catalog import leases
from dashboard.catalog.uploads import DigestedBody, store
from dashboard.features.file_requests.models import FileRequest, ReceivedFile
from dashboard.features.file_requests.rules import FULL, key_of
from dashboard.journal.models import Entry, Outcome
from dashboard.journal.recorder import Change
from dashboard.links.end_states import LinkClosed
from dashboard.tokens.workspace import Workspace

State = ReceivedFile.State
# Time from a reservation to the lease of its key.
GRACE = timedelta(minutes=2)
SETTLED_AT_ONCE = 200
# The state of a file during each write, and after it succeeded.
UNDER_WAY = {State.SENDING: State.RECEIVED, State.ACCEPTING: State.ACCEPTED, State.REJECTING: State.REJECTED}
NOT_DONE = (Outcome.REFUSED, Outcome.FAILED, Outcome.NOT_APPLIED)


def reserve(file: ReceivedFile) -> None:
    """Reserve a place for this unsaved file, and save it. Raises `LinkClosed` if there is none, or the request was closed."""
    if _take(file):
        return
    settle(ReceivedFile.objects.filter(request=file.request_id))
    if not _take(file):
        raise LinkClosed(FULL)


def receive(workspace: Workspace, file: ReceivedFile, body: DigestedBody) -> None:
    """Store a file (S9), never over an existing object. Releases the place if the file is not stored.

    Raises the errors of `store`. After `UnansweredUpload` the place stays reserved until the outcome is known.
    """
    asked = file.request

    def opened(change: Change) -> None:
        ReceivedFile.objects.filter(pk=file.pk).update(entry=change.entry)
        change.after |= {"request": asked.pk, "sender": file.sender}

    try:
        store(
            workspace,
            asked.space,
            asked.bucket,
            file.key,
            body,
            size=file.size,
            content_type=file.mimetype,
            policy="new",
            title=f"{file.name} from {file.sender}, sent to “{asked.title}”",
            opened=opened,
        )
    except BaseException:
        _settle(ReceivedFile.objects.get(pk=file.pk))
        raise
    ReceivedFile.objects.filter(pk=file.pk, state=State.SENDING).update(state=State.RECEIVED)


def settle_stale() -> None:
    """Settle files whose process is gone. Part of a worker's sweep."""
    settle(ReceivedFile.objects.filter(made_at__lt=timezone.now() - GRACE))


def settle(files: QuerySet[ReceivedFile]) -> None:
    """Give files with an unfinished write the state that the journal knows, unless their key is still being written."""
    for file in files.filter(state__in=UNDER_WAY).select_related("request").order_by("pk")[:SETTLED_AT_ONCE]:
        asked = file.request
        begins = file.entry is None and file.made_at > timezone.now() - GRACE
        if not begins and not leases.is_held(asked.space, asked.bucket, file.key):
            _settle(file)


def give_back(file: ReceivedFile) -> None:
    """Delete a file that was not stored, and release its place."""
    with transaction.atomic():
        if ReceivedFile.objects.filter(pk=file.pk, state=State.SENDING).delete()[0]:
            free(file)


def free(file: ReceivedFile) -> None:
    FileRequest.objects.filter(pk=file.request_id).update(files=F("files") - 1, bytes=F("bytes") - file.size)


def _take(file: ReceivedFile) -> bool:
    room = Q(files__lt=F("most_files"), bytes__lte=F("most_total") - file.size)
    with transaction.atomic():
        still = FileRequest.objects.filter(room, pk=file.request_id, revoked_at=None, ends_at__gt=timezone.now())
        if not still.update(files=F("files") + 1, bytes=F("bytes") + file.size):
            return False
        file.key = key_of(file.request, secrets.token_hex(8), file.name)
        file.save(force_insert=True)
    return True


def _settle(file: ReceivedFile) -> None:
    entry = Entry.objects.filter(pk=file.entry).first() if file.entry else None
    state = State(file.state)
    mine = ReceivedFile.objects.filter(pk=file.pk, state=state)
    if entry is None or entry.outcome in NOT_DONE:
        if state is State.SENDING:
            give_back(file)
        else:
            mine.update(state=State.RECEIVED, decided_by=None, decided_at=None, accepted_key="")
    elif entry.outcome == Outcome.DONE:
        mine.update(state=UNDER_WAY[state])
    elif entry.outcome == Outcome.UNKNOWN and entry.check_until is None and not entry.expected:
        # The outcome stays unknown: accepting or rejecting the file will show whether it exists.
        mine.update(state=State.RECEIVED)
