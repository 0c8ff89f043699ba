"""Changes between two generated files, by table and column, whatever the order of their lines."""

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Literal

from dashboard.features.types.rules.declarations import Member, alternatives, elements, items
from dashboard.web.text import counted

Kind = Literal["removed", "narrowed", "changed", "widened", "added"]
ORDER: tuple[Kind, ...] = ("removed", "narrowed", "changed", "widened", "added")
THINGS = {"Tables": "table", "Views": "view", "Functions": "function", "Enums": "enum", "CompositeTypes": "composite type"}
Members = Mapping[str, Member]


@dataclass(frozen=True, slots=True)
class Change:
    """One change. `old` and `new` are types, empty if that side has none."""

    kind: Kind
    place: str
    what: str
    old: str = ""
    new: str = ""

    @property
    def may_break(self) -> bool:
        """Whether code that uses the old file may stop working."""
        return self.kind in ("removed", "narrowed", "changed")


def changes(old: Members, new: Members) -> list[Change]:
    """Changes from the committed file to the current types, those that may break code first."""
    found = list(_schemas(old, new))
    return sorted(found, key=lambda change: (ORDER.index(change.kind), change.place, change.what))


def _schemas(old: Members, new: Members) -> Iterator[Change]:
    for name in {**old, **new}:
        if name not in new:
            yield Change("removed", name, "schema")
        elif name not in old:
            yield Change("added", name, "schema")
        else:
            for group in THINGS:
                yield from _group(group, name, items(old[name], group), items(new[name], group))


def _group(group: str, schema: str, old: Members, new: Members) -> Iterator[Change]:
    for name in {**old, **new}:
        place = f"{schema}.{name}"
        if name not in new:
            yield Change("removed", place, THINGS[group])
        elif name not in old:
            yield Change("added", place, THINGS[group])
        elif group in ("Tables", "Views"):
            yield from _table(place, _inside(old[name]), _inside(new[name]))
        elif group == "CompositeTypes":
            yield from _columns(place, _inside(old[name]), _inside(new[name]))
        else:
            yield from _type(place, THINGS[group], old[name].text, new[name].text)


def _table(place: str, old: Members, new: Members) -> Iterator[Change]:
    before, after = (_inside(side["Row"]) if "Row" in side else {} for side in (old, new))
    yield from _columns(place, before, after)
    kept = before.keys() & after.keys()
    same = {name for name in kept if alternatives(before[name].text) == alternatives(after[name].text)}
    for form, act in (("Insert", "insert"), ("Update", "update")):
        if form in old and form in new:
            yield from _writes(place, act, _inside(old[form]), _inside(new[form]), columns=after.keys(), same=same)
    if "Relationships" in old and "Relationships" in new:
        yield from _relationships(place, old["Relationships"].text, new["Relationships"].text)


def _writes(place: str, act: str, old: Members, new: Members, *, columns: Set[str], same: Set[str]) -> Iterator[Change]:
    """Changes of inserts or updates. Types of columns in `same` are compared here, as their rows did not change."""
    for name in sorted(columns):
        was, now = old.get(name), new.get(name)
        if now and not now.optional and (was is None or was.optional):
            yield Change("narrowed", place, f"column {name}, now required on {act}", new=now.text)
        elif was and now and now.optional and not was.optional:
            yield Change("widened", place, f"column {name}, now optional on {act}", new=now.text)
        elif was and now and name in same:
            yield from _type(place, f"column {name} on {act}", was.text, now.text)
        elif was and not now:
            yield Change("removed", place, f"column {name} on {act}", old=was.text)


def _relationships(place: str, old: str, new: str) -> Iterator[Change]:
    """Added and removed foreign keys, in whatever order they are listed."""
    before, after = elements(old), elements(new)
    if before - after:
        yield Change("removed", place, counted(len(before - after), "relationship"))
    if after - before:
        yield Change("added", place, counted(len(after - before), "relationship"))


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
