"""Parse the search language: `invoice ext:pdf size:>10mb older:90d newer:7d type:image/ path:2024/`."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from dashboard.catalog.keys import folder, name_of
from dashboard.catalog.walk import Entry
from dashboard.web.text import SEARCH_CHARACTERS, SEARCH_WORDS, search_text

# Matches everything, unlike an empty search.
EVERYTHING = "*"
NAMES = ("name", "ext", "size", "older", "newer", "type", "path")
_FURTHEST = datetime(1970, 1, 2, tzinfo=UTC)
_TOKEN = re.compile(r'(?:(?P<name>[A-Za-z]+):)?(?:"(?P<quoted>[^"]*)"|(?P<plain>\S*))(?:\s+|$)')
_LINES = re.compile(r"[\t\n\r\f\v]+")
_SIZE = re.compile(r"(?P<number>\d{1,15}(?:\.\d{1,6})?)(?P<unit>|b|kb|mb|gb|tb|kib|mib|gib|tib)")
_SPAN = re.compile(r"(?P<number>\d{1,5})(?P<unit>[hdwmy])")
_UNITS = {"": 1, "b": 1} | {
    f"{prefix}{suffix}": base**power for power, prefix in enumerate("kmgt", 1) for suffix, base in (("b", 1000), ("ib", 1024))
}
_HOURS = {"h": 1, "d": 24, "w": 7 * 24, "m": 30 * 24, "y": 365 * 24}


class Unclear(Exception):  # noqa: N818 - the words are not
    """Part of the search can't be parsed. The message says why."""


@dataclass(frozen=True, slots=True)
class Filter:
    """A parsed search: what an object must match.

    All of `words` must be in its key and all of `names` in its last segment. Of endings, types and folders one must match, if any
    are given. Size (bytes, inclusive) and time must be in range. `older` and `newer` are kept as typed ("90d", "2026-01-31"), so
    a span counts from the moment of use. With `problems` (sentences) nothing matches.
    """

    text: str = ""
    words: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    endings: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    older: str = ""
    newer: str = ""
    problems: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> "Filter":
        """Parse any text; parts that can't be parsed are reported in `problems`."""
        # Keep repeated spaces: they may be part of a folder's name.
        text = _LINES.sub(" ", text).strip()
        if (most := search_text(text)) != text:
            limits = f"{SEARCH_WORDS} words and {SEARCH_CHARACTERS:,} characters"
            return cls(most, problems=(f"A search can have {limits} at most.",))
        found = cls(text)
        for name, value, quoted in _tokens(text):
            try:
                found = _with(found, name, value, quoted=quoted)
            except Unclear as unclear:
                found = replace(found, problems=(*found.problems, str(unclear)))
        if found.least is not None and found.most is not None and found.least > found.most:
            found = replace(found, problems=(*found.problems, "No object is both that large and that small."))
        return found

    @property
    def finds_all(self) -> bool:
        """Whether every object matches."""
        return self == Filter(self.text)

    @property
    def is_one_folder(self) -> bool:
        """Whether it filters by nothing but one folder."""
        return self == Filter(self.text, folders=self.folders[:1])

    def finds_key(self, key: str) -> bool:
        """Whether a key matches, whatever else is asked."""
        whole, name = key.lower(), name_of(key).lower()
        return (
            not self.problems
            and all(word.lower() in whole for word in self.words)
            and all(one in name for one in self.names)
            and (not self.endings or name.endswith(tuple(f".{ending}" for ending in self.endings)))
            and (not self.folders or key.startswith(self.folders))
        )

    def finds(self, entry: Entry) -> bool:
        """Whether an object matches, as `queries.search` finds it in the index: what is unknown of it is in no range."""
        size, changed, kind = entry.size, entry.updated_at, (entry.mimetype or "").lower()
        return (
            self.finds_key(entry.key)
            and not entry.is_marker
            and (not self.types or kind.startswith(self.types))
            and (self.least is None or (size is not None and size >= self.least))
            and (self.most is None or (size is not None and size <= self.most))
            and (not self.changed_before or (changed is not None and changed < self.changed_before))
            and (not self.changed_after or (changed is not None and changed >= self.changed_after))
        )

    @property
    def changed_before(self) -> datetime | None:
        return _moment(self.older) if self.older else None

    @property
    def changed_after(self) -> datetime | None:
        return _moment(self.newer) if self.newer else None


def quoted(value: str) -> str:
    """Quote a value if it contains a space or looks like a filter."""
    return f'"{value}"' if " " in value or _looks_like_filter(value) else value


def _tokens(text: str) -> Iterator[tuple[str, str, bool]]:
    """Yield the filter's name ("" for a word), the value, and whether it was quoted."""
    place = 0
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:  # A quote in the middle of a word: take the rest as one word.
            end = text.find(" ", place)
            end = len(text) if end < 0 else end
            yield "", text[place:end], False
            place = end + 1
            continue
        place = found.end()
        if found["quoted"] is not None:
            yield (found["name"] or "").lower(), found["quoted"], True
        else:
            yield (found["name"] or "").lower(), found["plain"], False


def _with(found: Filter, name: str, value: str, *, quoted: bool) -> Filter:
    if not name:
        return found if not value or (value == EVERYTHING and not quoted) else replace(found, words=(*found.words, _word(value)))
    if name not in _READERS:
        known = ", ".join(f"{one}:" for one in NAMES)
        raise Unclear(f"There is no filter called “{name}:”; these are {known}. To look for the text itself put it in quotes.")
    if not value:
        raise Unclear(f"“{name}:” needs a value, for example {_EXAMPLES[name]}.")
    return _READERS[name](found, value)


def _word(value: str) -> str:
    if value.startswith('"'):
        raise Unclear("A quotation mark is not closed.")
    return value


def _name(found: Filter, value: str) -> Filter:
    return replace(found, names=(*found.names, value.lower()))


def _endings(found: Filter, value: str) -> Filter:
    given = tuple(one.strip().lstrip(".").lower() for one in value.split(","))
    if not all(given):
        raise Unclear(f"“{value}” is not a list of endings. For example {_EXAMPLES['ext']}.")
    return replace(found, endings=(*found.endings, *given))


def _types(found: Filter, value: str) -> Filter:
    return replace(found, types=(*found.types, *(one.lower() for one in value.split(",") if one)))


def _folders(found: Filter, value: str) -> Filter:
    return replace(found, folders=(*found.folders, folder(value)))


def _sizes(found: Filter, value: str) -> Filter:
    first, dots, last = value.partition("..")
    if dots:
        return _between(found, _bytes(first, value), _bytes(last, value))
    sign = next((one for one in (">=", "<=", ">", "<", "=") if value.startswith(one)), "")
    size = _bytes(value[len(sign) :], value)
    if sign.startswith(">"):
        return _between(found, size + (sign == ">"), None)
    if sign.startswith("<"):
        if sign == "<" and not size:
            raise Unclear("No object is smaller than nothing.")
        return _between(found, None, size - (sign == "<"))
    return _between(found, size, size)


def _between(found: Filter, least: int | None, most: int | None) -> Filter:
    leasts = [one for one in (found.least, least) if one is not None]
    mosts = [one for one in (found.most, most) if one is not None]
    return replace(found, least=max(leasts, default=None), most=min(mosts, default=None))


def _bytes(text: str, whole: str) -> int:
    read = _SIZE.fullmatch(text.lower())
    if read is None:
        raise Unclear(f"“{whole}” is not a size. For example {_EXAMPLES['size']}.")
    return round(float(read["number"]) * _UNITS[read["unit"]]) if "." in read["number"] or read["unit"] else int(read["number"])


def _older(found: Filter, value: str) -> Filter:
    return replace(found, older=_time("older", value))


def _newer(found: Filter, value: str) -> Filter:
    return replace(found, newer=_time("newer", value))


def _time(name: str, value: str) -> str:
    value = value.lower()
    try:
        _moment(value)
    except ValueError:
        raise Unclear(f"“{value}” is not a time. For example {_EXAMPLES[name]} (h, d, w, m, y) or {name}:2026-01-31.") from None
    return value


def _moment(value: str) -> datetime:
    """Return the moment of a span before now, or midnight UTC of a date. Raises `ValueError`."""
    if span := _SPAN.fullmatch(value):
        ago = timedelta(hours=int(span["number"]) * _HOURS[span["unit"]])
        now = datetime.now(UTC)
        return now - ago if ago < now - _FURTHEST else _FURTHEST
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", value):
        raise ValueError(value)
    return datetime.fromisoformat(value).replace(tzinfo=UTC)


def _looks_like_filter(value: str) -> bool:
    return re.match(r"[A-Za-z]+:", value) is not None or value == EVERYTHING


_EXAMPLES = {
    "name": "name:report",
    "ext": "ext:pdf or ext:jpg,png",
    "size": "size:>10mb, size:<1kb or size:1mb..5mb",
    "older": "older:90d",
    "newer": "newer:7d",
    "type": "type:image/",
    "path": "path:2024/",
}
_READERS: dict[str, Callable[[Filter, str], Filter]] = {
    "name": _name,
    "ext": _endings,
    "size": _sizes,
    "older": _older,
    "newer": _newer,
    "type": _types,
    "path": _folders,
}
