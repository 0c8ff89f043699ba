"""What changed between two generated files, by table and column, whatever the order of their lines."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from dashboard.features.types.declared import Member, alternatives, items

Kind = Literal["removed", "narrowed", "changed", "widened", "added"]
ORDER: tuple[Kind, ...] = ("removed", "narrowed", "changed", "widened", "added")
THINGS = {"Tables": "table", "Views": "view", "Functions": "function", "Enums": "enum", "CompositeTypes": "composite type"}
Members = Mapping[str, Member]


@dataclass(frozen=True, slots=True)
class Change:
    """One difference. `old` and `new` are types, empty where there is none on that side."""

    kind: Kind
    place: str
    what: str
    old: str = ""
    new: str = ""

    @property
    def may_break(self) -> bool:
        """Whether a program written for the old file may stop working."""
        return self.kind in ("removed", "narrowed", "changed")


def changes(old: Members, new: Members) -> list[Change]:
    """From the committed file to the present types, what may break first."""
    found = list(_schemas(old, new))
    return sorted(found, key=lambda change: (ORDER.index(change.kind), change.place, change.what))


def _schemas(old: Members, new: Members) -> Iterator[Change]:
    for name in {**old, **new}:
        if name not in new:
            yield Change("removed", name, "the schema")
        elif name not in old:
            yield Change("added", name, "the schema")
        else:
            for group in THINGS:
                yield from _group(group, name, items(old[name], group), items(new[name], group))


def _group(group: str, schema: str, old: Members, new: Members) -> Iterator[Change]:
    for name in {**old, **new}:
        place = f"{schema}.{name}"
        if name not in new:
            yield Change("removed", place, f"the {THINGS[group]}")
        elif name not in old:
            yield Change("added", place, f"the {THINGS[group]}")
        elif group in ("Tables", "Views"):
            yield from _table(place, _inside(old[name]), _inside(new[name]))
        elif group == "CompositeTypes":
            yield from _columns(place, _inside(old[name]), _inside(new[name]))
        else:
            yield from _type(place, f"the {THINGS[group]}", old[name].text, new[name].text)


def _table(place: str, old: Members, new: Members) -> Iterator[Change]:
    before, after = (_inside(side["Row"]) if "Row" in side else {} for side in (old, new))
    yield from _columns(place, before, after)
    wanted_before, wanted = (_inside(side["Insert"]) if "Insert" in side else {} for side in (old, new))
    for name, member in wanted.items():
        was = wanted_before.get(name)
        if not member.optional and (was.optional if was else bool(wanted_before)):
            yield Change("narrowed", place, f"column {name}, which every new row must give now", new=member.text)


def _columns(place: str, old: Members, new: Members) -> Iterator[Change]:
    for name in {**old, **new}:
        if name not in new:
            yield Change("removed", place, f"column {name}", old=old[name].text)
        elif name not in old:
            yield Change("added", place, f"column {name}", new=new[name].text)
        else:
            yield from _type(place, f"column {name}", old[name].text, new[name].text)


def _type(place: str, what: str, old: str, new: str) -> Iterator[Change]:
    before, after = alternatives(old), alternatives(new)
    if before == after:
        return
    kind: Kind = "narrowed" if after < before else "widened" if after > before else "changed"
    yield Change(kind, place, what, old=old, new=new)


def _inside(member: Member) -> Members:
    return member.members or {}
