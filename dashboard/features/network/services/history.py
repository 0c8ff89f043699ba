"""What is kept of a project's lists: the text with its comments, and every list that was sent."""

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

FEW = 5
MOST = 200


@dataclass(frozen=True, slots=True)
class Row:
    """One kept list, ready to print. `mark` says how it relates to what the service has now."""

    id: int
    at: datetime
    who: str
    sentence: str
    text: str
    mark: str
    tone: str


@dataclass(frozen=True, slots=True)
class Named:
    """One range with its comment."""

    range: str
    comment: str


@dataclass(frozen=True, slots=True)
class Kept:
    """The newest kept lists of `total`."""

    rows: Sequence[Row]
    total: int


def list_sets(ref: str, saved: RangeList, *, everything: bool = False) -> Kept:
    """The kept lists of a project, newest first: a few, or all that can be shown."""
    found = AppliedSet.objects.filter(project=ref).select_related("person")
    rows = [_row(one, saved) for one in found[: MOST if everything else FEW]]
    return Kept(rows=rows, total=min(found.count(), MOST) if len(rows) == FEW else len(rows))


def text_of_set(ref: str, number: str) -> str:
    """The text of a kept list; 404 where there is none."""
    found = AppliedSet.objects.filter(project=ref, pk=number).first() if number.isdecimal() and len(number) < 18 else None
    if found is None:
        raise Http404("There is no such list.")
    listed = RangeList.made(found.v4, found.v6)
    return found.text or "\n".join(listed.all)


def text_for(ref: str, saved: RangeList) -> str:
    """The service's list with the team's comments: lines that are gone are left out, new ranges come last."""
    kept = ListText.objects.filter(project=ref).values_list("text", flat=True).first()
    if kept is None:
        return "\n".join(saved.all)
    draft = read(kept, has_v6=True)
    there = set(saved.all)
    if {*draft.v4, *draft.v6} == there:
        return kept
    named = {str(entry.network) for entry in draft.entries if entry.network}
    gone = {entry.line for entry in draft.entries if str(entry.network) not in there}
    lines = [line for number, line in enumerate(kept.split("\n"), 1) if number not in gone]
    return "\n".join([*lines, *(one for one in saved.all if one not in named)])


def named(ref: str, *lists: RangeList | None) -> list[list[Named]]:
    """The ranges of each list with the team's comments."""
    kept = ListText.objects.filter(project=ref).values_list("text", flat=True).first()
    comments = read(kept, has_v6=True).comments if kept else {}
    return [[Named(one, comments.get(one, "")) for one in listed.all] if listed else [] for listed in lists]


def keep_text(ref: str, text: str) -> None:
    """Keep the comments and the order of a list."""
    with transaction.atomic():
        ListText.objects.update_or_create(project=ref, defaults={"text": text, "changed_at": timezone.now()})


def comments_changed(ref: str, draft: Draft, saved: RangeList) -> bool:
    return draft.text != text_for(ref, saved)


def found_before(workspace: Workspace, ref: str, *lists: RangeList | None) -> list[AppliedSet]:
    """Rows for those lists of the service that are not kept yet, and are about to be replaced."""
    kept = {RangeList.made(one.v4, one.v6).fingerprint for one in AppliedSet.objects.filter(project=ref)[:MOST]}
    new = {one.fingerprint: one for one in lists if one is not None and one.fingerprint not in kept}
    return [
        AppliedSet(
            project=ref,
            token=workspace.fingerprint("management"),
            v4=list(one.v4),
            v6=_listed(one),
            text=text_for(ref, one),
            at=timezone.now(),
        )
        for one in new.values()
    ]


def sent_at(ref: str, saved: RangeList) -> datetime | None:
    """When the list was last sent from here; None when the last one was another."""
    last = AppliedSet.objects.filter(project=ref, person__isnull=False).first()
    return last.at if last and RangeList.made(last.v4, last.v6).fingerprint == saved.fingerprint else None


def keep(workspace: Workspace, ref: str, sent: RangeList, text: str, *, found: list[AppliedSet], confirmed: bool) -> None:
    """Keep a list that was sent, those found before it, and its text."""
    with transaction.atomic():
        for one in found:
            one.save()
        AppliedSet.objects.create(
            project=ref,
            token=workspace.fingerprint("management"),
            v4=list(sent.v4),
            v6=_listed(sent),
            text=text,
            person=workspace.person,
            confirmed=confirmed,
        )
    keep_text(ref, text)


def confirm(_workspace: Workspace, ref: str, wanted: Wanted, _state: object) -> None:
    """Mark the list that was sent without an answer as taken."""
    newest = AppliedSet.objects.filter(project=ref, person__isnull=False).first()
    if newest and RangeList.made(newest.v4, newest.v6).fingerprint == wanted["list"]:
        AppliedSet.objects.filter(pk=newest.pk).update(confirmed=True)


def _listed(one: RangeList) -> list[str] | None:
    return None if one.v6 is None else list(one.v6)


def _row(one: AppliedSet, saved: RangeList) -> Row:
    listed = RangeList.made(one.v4, one.v6)
    same = listed.fingerprint == saved.fingerprint
    mark, tone = ("The list of now", "good") if same else ("", "")
    if not one.confirmed and not same:
        mark, tone = "No answer came", "attention"
    return Row(
        id=one.pk,
        at=one.at,
        who=str(one.person) if one.person else "",
        sentence=listed.sentence,
        text=one.text or "\n".join(listed.all),
        mark=mark,
        tone=tone,
    )
