"""What a person sends of a draft: as text or as rows, with the sealed values of before; and what is chosen of a plan."""

from dataclasses import dataclass, replace

from django.http import QueryDict

from dashboard.features.secrets.checking import check
from dashboard.features.secrets.drafts import Kept, filled, unseal
from dashboard.features.secrets.pieces import Finding, Piece, Reading
from dashboard.features.secrets.plans import Plan, size_of
from dashboard.features.secrets.reading import read, with_plain_ends

TEXT, ROWS = "text", "rows"
# What buttons say beside the names of the two modes.
BACK, MERGE, PLAN, TIDY = "back", "merge", "plan", "tidy"
# Rows of more would be too many fields for one form; a project has room for about 100.
MOST_ROWS = 250
MOST_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Sent:
    """A draft as it came in. `mode` is how it was written, `act` what the pressed button says; findings are in order."""

    pieces: tuple[Piece, ...]
    findings: tuple[Finding, ...]
    mode: str
    act: str

    @property
    def stops(self) -> int:
        """How many findings hinder sending."""
        return sum(finding.stops for finding in self.findings)

    @property
    def shown(self) -> tuple[Finding, ...]:
        """As many findings as a person can read; all of them in an ordinary draft."""
        return self.findings[:MOST_SHOWN]

    @property
    def values(self) -> dict[str, str]:
        """For a draft without a problem: names to values."""
        return {piece.name: piece.value for piece in self.pieces if piece.name is not None}


@dataclass(frozen=True, slots=True)
class RowShown:
    """One row, ready to print: `mark` stands for a value that is kept, `kept` says how much it is."""

    number: int
    name: str = ""
    mark: str = ""
    kept: str = ""


def sent_draft(post: QueryDict, *, owner: int, ref: str, redrawn: bool) -> Sent:
    """The draft of a form, values behind its marks filled in, and everything to be said about it.

    `redrawn`: it is going to be drawn anew, so the numbers are those that its lines or rows will have.
    """
    kept = unseal(post.get("sealed", ""), owner=owner, ref=ref) or Kept()
    act, mode = post.get("act", ""), ROWS if post.get("mode") == ROWS else TEXT
    reading = Reading(kept.pieces) if act == BACK else _rows(post, kept) if mode == ROWS else _lines(post, kept)
    if act == MERGE:
        reading = _joined(reading, read(post.get("more", "")))
    if act == TIDY:
        reading = Reading(tuple(piece for piece in reading.pieces if not piece.why), reading.findings)
    mode = {MERGE: ROWS, TEXT: TEXT, ROWS: ROWS}.get(act, mode)
    if len(reading.entries) > MOST_ROWS:
        mode = TEXT
    if redrawn:
        reading = _renumbered(reading, mode)
    findings = [*reading.findings, *check(reading.pieces, place="row" if mode == ROWS else "line")]
    if act == PLAN and not reading.entries:
        findings.append(Finding(1, "There is nothing to compare yet."))
    in_order = sorted(findings, key=lambda found: (found.line, not found.stops))
    return Sent(reading.pieces, tuple(dict.fromkeys(in_order)), mode, act)


def rows_of(kept: Kept) -> list[RowShown]:
    """The entries as rows, numbered from 1, and one empty row more; three in an empty draft."""
    entries = [(number, piece) for number, piece in enumerate(kept.pieces) if piece.name is not None]
    rows = [
        RowShown(row, piece.name or "", kept.mark(number), size_of(piece.value)) for row, (number, piece) in enumerate(entries, 1)
    ]
    return [*rows, *(RowShown(len(rows) + 1 + extra) for extra in range(1 if rows else 3))]


@dataclass(frozen=True, slots=True)
class Choice:
    """What was ticked of a plan, and the ref typed for deletions."""

    write: frozenset[str]
    delete: frozenset[str]
    typed: str

    @classmethod
    def of(cls, post: QueryDict) -> "Choice":
        return cls(frozenset(post.getlist("write")), frozenset(post.getlist("delete")), post.get("typed", "").strip())

    def on(self, plan: Plan, *, wary: bool = False) -> Plan:
        """The plan with these ticks; `wary`: nothing that replaces or deletes stays ticked."""
        lines = [replace(line, ticked=line.key in self.write and not (wary and line.kind != "new")) for line in plan.lines]
        only = [replace(row, ticked=row.key in self.delete and not wary) for row in plan.only]
        return replace(plan, lines=tuple(lines), only=tuple(only))

    def problem(self, plan: Plan, ref: str) -> str | None:
        """Why this can't be sent, as a sentence."""
        write = [line for line in plan.to_send if line.key in self.write]
        if not write and not any(row.key in self.delete for row in plan.only):
            return "Nothing is ticked, so nothing was sent."
        extra = sum(line.kind == "new" for line in write) - plan.room
        if extra > 0:
            return f"There is no room for {extra} of the new secrets. Untick {extra}, or delete others first. Nothing was sent."
        if self.delete and self.typed != ref:
            return f"Type {ref} to delete secrets: every character counts. Nothing was sent."
        return None


def _lines(post: QueryDict, kept: Kept) -> Reading:
    reading = read(post.get("text", ""))
    pieces, findings = filled(reading.pieces, kept)
    return Reading(tuple(pieces), (*reading.findings, *findings))


def _rows(post: QueryDict, kept: Kept) -> Reading:
    """Rows in their order; lines that are no entry stay before the entry that they stood before."""
    pieces: list[Piece] = []
    passed = 0
    places = {kept.mark(number): number for number in range(len(kept.pieces))}
    removed = post.get("remove", "")
    for number, (name, value, mark) in enumerate(_fields(post), 1):
        if str(number) == removed or not (name or value or mark in places):
            continue
        place = places.get(mark, passed)
        pieces += [piece for piece in kept.pieces[passed:place] if piece.name is None]
        passed = max(passed, place)
        pieces.append(Piece(number, name=name, value=value or mark))
    pieces += [piece for piece in kept.pieces[passed:] if piece.name is None]
    full, findings = filled(pieces, kept)
    return Reading(tuple(full), tuple(findings))


def _fields(post: QueryDict) -> list[tuple[str, str, str]]:
    names, values, marks = post.getlist("name"), post.getlist("value"), post.getlist("kept")
    return [(name.strip(), with_plain_ends(value), mark) for name, value, mark in zip(names, values, marks, strict=False)]


def _joined(first: Reading, second: Reading) -> Reading:
    past = max((piece.line for piece in first.pieces), default=0)
    pieces = [replace(piece, line=piece.line + past) for piece in second.pieces]
    findings = [replace(found, line=found.line + past) for found in second.findings]
    return Reading((*first.pieces, *pieces), (*first.findings, *findings))


def _renumbered(reading: Reading, mode: str) -> Reading:
    """Each piece with the number of the line or row that it will be drawn on; a line that is no row counts as the next."""
    pieces: list[Piece] = []
    rows = 0
    for line, piece in enumerate(reading.pieces, 1):
        rows += piece.name is not None
        row = rows if piece.name is not None else rows + 1
        pieces.append(replace(piece, line=line if mode == TEXT else row))
    # Of two pieces with one number the entry is the one that something was noticed about.
    pairs = sorted(zip(reading.pieces, pieces, strict=True), key=lambda pair: pair[0].name is not None)
    moved = {old.line: new.line for old, new in pairs}
    return Reading(tuple(pieces), tuple(replace(found, line=moved.get(found.line, 1)) for found in reading.findings))
