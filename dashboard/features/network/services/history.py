"""Store a project's lists: the text with its comments, and every list that was sent."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.http import Http404
from django.utils import timezone

from dashboard.features.network.models import AppliedSet, ListText
from dashboard.features.network.rules.lists import RangeList
from dashboard.features.network.rules.ranges import Draft, read
from dashboard.jobs.settlement import Wanted
from dashboard.tokens.workspace import Workspace

FIRST_ROWS = 5
MAX_ROWS = 200


@dataclass(frozen=True, slots=True)
class Applied:
    """A list in the history. `status` compares it with the service's current list."""

    id: int
    at: datetime
    person: str
    summary: str
    text: str
    status: str
    tone: str


@dataclass(frozen=True, slots=True)
class CommentedRange:
    range: str
    comment: str


@dataclass(frozen=True, slots=True)
class History:
    """The newest lists, and how many there are in `total`."""

    rows: Sequence[Applied]
    total: int


def list_applied(ref: str, saved: RangeList, *, everything: bool = False) -> History:
    """Return the lists of a project, newest first: a few, or as many as can be shown."""
    found = AppliedSet.objects.filter(project=ref).select_related("person")
    rows = [_row(one, saved) for one in found[: MAX_ROWS if everything else FIRST_ROWS]]
    return History(rows=rows, total=min(found.count(), MAX_ROWS) if len(rows) == FIRST_ROWS else len(rows))


def text_of_applied(ref: str, number: int) -> str:
    """Return the text of a list in the history. Raises `Http404` if there is none."""
    found = AppliedSet.objects.filter(project=ref, pk=number).first()
    if found is None:
        raise Http404("There is no such list.")
    return found.text or "\n".join(RangeList.of(found.v4, found.v6).all)


def text_for(ref: str, saved: RangeList) -> str:
    """Return the service's list with the team's comments, without removed lines and with new ranges at the end."""
    stored = ListText.objects.filter(project=ref).values_list("text", flat=True).first()
    if stored is None:
        return "\n".join(saved.all)
    draft = read(stored, has_v6=True)
    current = set(saved.all)
    if {*draft.v4, *draft.v6} == current:
        return stored
    written = {str(entry.network) for entry in draft.entries if entry.network}
    removed = {entry.line for entry in draft.entries if str(entry.network) not in current}
    lines = [line for number, line in enumerate(stored.split("\n"), 1) if number not in removed]
    return "\n".join([*lines, *(one for one in saved.all if one not in written)])


def with_comments(ref: str, *lists: RangeList | None) -> list[list[CommentedRange]]:
    """Return the ranges of each list with the team's comments."""
    stored = ListText.objects.filter(project=ref).values_list("text", flat=True).first()
    comments = read(stored, has_v6=True).comments if stored else {}
    return [[CommentedRange(one, comments.get(one, "")) for one in listed.all] if listed else [] for listed in lists]


def save_text(ref: str, text: str) -> None:
    """Save the comments and the order of a list."""
    with transaction.atomic():
        ListText.objects.update_or_create(project=ref, defaults={"text": text, "changed_at": timezone.now()})


def has_new_comments(ref: str, draft: Draft, saved: RangeList) -> bool:
    return draft.text != text_for(ref, saved)


def unrecorded(workspace: Workspace, ref: str, *lists: RangeList | None) -> list[AppliedSet]:
    """Build rows for the service's lists that are about to be replaced and are not in the history yet."""
    known = {RangeList.of(one.v4, one.v6).fingerprint for one in AppliedSet.objects.filter(project=ref)[:MAX_ROWS]}
    new = {one.fingerprint: one for one in lists if one is not None and one.fingerprint not in known}
    return [
        AppliedSet(
            project=ref,
            token=workspace.fingerprint("management", ref),
            v4=list(one.v4),
            v6=None if one.v6 is None else list(one.v6),
            text=text_for(ref, one),
            at=timezone.now(),
        )
        for one in new.values()
    ]


def sent_at(ref: str, saved: RangeList) -> datetime | None:
    """Return when this list was sent from here; None if the last list sent was another."""
    last = AppliedSet.objects.filter(project=ref, person__isnull=False).first()
    return last.at if last and RangeList.of(last.v4, last.v6).fingerprint == saved.fingerprint else None


def record(workspace: Workspace, ref: str, sent: RangeList, text: str, *, replaced: list[AppliedSet], confirmed: bool) -> None:
    """Add a sent list to the history, after those that it replaced, and save its text."""
    with transaction.atomic():
        for one in replaced:
            one.save()
        AppliedSet.objects.create(
            project=ref,
            token=workspace.fingerprint("management", ref),
            v4=list(sent.v4),
            v6=None if sent.v6 is None else list(sent.v6),
            text=text,
            person=workspace.person,
            confirmed=confirmed,
        )
    save_text(ref, text)


def confirm(_workspace: Workspace, ref: str, wanted: Wanted, _state: object) -> None:
    """Mark a list as accepted whose answer was lost."""
    newest = AppliedSet.objects.filter(project=ref, person__isnull=False).first()
    if newest and RangeList.of(newest.v4, newest.v6).fingerprint == wanted["list"]:
        AppliedSet.objects.filter(pk=newest.pk).update(confirmed=True)


def _row(one: AppliedSet, saved: RangeList) -> Applied:
    listed = RangeList.of(one.v4, one.v6)
    status, tone = "", ""
    if listed.fingerprint == saved.fingerprint:
        status, tone = "Current list", "good"
    elif not one.confirmed:
        status, tone = "Unconfirmed", "attention"
    return Applied(
        id=one.pk,
        at=one.at,
        person=str(one.person) if one.person else "",
        summary=listed.summary,
        text=one.text or "\n".join(listed.all),
        status=status,
        tone=tone,
    )
