"""What a person sends of a draft, as text or as rows, and what is chosen in its review."""

import re
from dataclasses import dataclass, replace

from django.http import QueryDict

from dashboard.features.secrets.rules.draft import Draft
from dashboard.features.secrets.rules.entries import Piece
from dashboard.features.secrets.rules.env import read, with_plain_ends
from dashboard.features.secrets.services.plan import Plan, size_of

# More rows would be too many fields for one form; a project has room for about 100 secrets.
MOST_ROWS = 250
_LINE_BREAKS = re.compile(r"[\r\n]")


@dataclass(frozen=True, slots=True)
class RowShown:
    """One row, ready to print. `kept` says which stored value belongs to it, `size` how long that is."""

    number: int
    name: str = ""
    kept: str = ""
    size: str = ""


def typed_text(post: QueryDict) -> Draft:
    """The draft in the text field, and in the field for more."""
    first = read(post.get("text", ""))
    past = max((piece.number for piece in first), default=0)
    return Draft((*first, *(replace(piece, number=piece.number + past) for piece in read(post.get("more", "")))))


def typed_rows(post: QueryDict, stored: Draft) -> Draft:
    """The rows as they were sent, with stored values where nothing was typed, then what was pasted besides."""
    unread = [piece for piece in stored.pieces if piece.name is None]
    rows = [row for number, row in enumerate(_rows(post, stored), 1) if str(number) != post.get("remove", "")]
    typed = [row for row in rows if row is not None]
    return Draft((*unread, *typed, *read(post.get("more", "")))).in_rows()


def rows_of(draft: Draft) -> list[RowShown]:
    """The entries as rows, and one empty row more; three in an empty draft."""
    kept = [(index, piece) for index, piece in enumerate(draft.pieces) if piece.name is not None]
    rows = [RowShown(number, piece.name or "", str(index), size_of(piece.value)) for number, (index, piece) in enumerate(kept, 1)]
    return [*rows, *(RowShown(len(rows) + extra) for extra in range(1, 2 if rows else 4))]


@dataclass(frozen=True, slots=True)
class Choice:
    """What was ticked in a review, and the ref typed for deletions."""

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
            return "Nothing is ticked. Nothing was changed."
        extra = sum(line.kind == "new" for line in write) - plan.room
        if extra > 0:
            return (
                f"There is no room for {extra} of the new secrets. Untick {extra}, or delete others first. Nothing was changed."
            )
        if self.delete and self.typed != ref:
            return f"Type {ref} exactly to delete secrets. Nothing was changed."
        return None


def _rows(post: QueryDict, stored: Draft) -> list[Piece | None]:
    """Each row in order; None for an empty one."""
    fields = zip(post.getlist("name"), post.getlist("value"), post.getlist("kept"), strict=False)
    return [_row(name.strip(), with_plain_ends(value), _stored(stored, kept)) for name, value, kept in fields]


def _row(name: str, value: str, stored: Piece | None) -> Piece | None:
    if stored and name == _as_field(stored.name or ""):
        name = stored.name or ""
    if stored and not value:
        return replace(stored, name=name)
    return Piece(1, name=name, value=value) if name or value else None


def _stored(draft: Draft, index: str) -> Piece | None:
    return draft.pieces[int(index)] if index.isdecimal() and int(index) < len(draft.pieces) else None


def _as_field(name: str) -> str:
    """A name as a field of one line sends it back."""
    return _LINE_BREAKS.sub("", name).strip()
