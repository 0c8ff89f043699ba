"""Query the catalog of a bucket. Each token's catalog shows only what that token has read."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import NamedTuple, cast

from django.db import connection
from django.db.models import BigIntegerField, Case, Count, F, IntegerField, Max, Q, QuerySet, Sum, TextField, Value, When
from django.db.models.expressions import OrderBy
from django.db.models.functions import Coalesce, Left, Length, StrIndex, Substr

from dashboard.catalog.keys import folder_of
from dashboard.catalog.models import Catalog, Folder, Indexed
from dashboard.catalog.query import Filter
from dashboard.catalog.walk import Entry
from dashboard.jobs.models import ENDED
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace
from dashboard.web.pages.sort_order import Order

SORTS = {"name": "name", "path": "key", "size": "size", "type": "mimetype", "changed": "updated_at", "created": "created_at"}
# Nullable columns: databases disagree on whether null sorts first or last.
UNKNOWN = {"size", "updated_at", "created_at"}
AT_ONCE = 1000
CATALOGS_MAX = 100
CONTAINING_MAX = 100_000
END = "\U0010ffff"
# Without COALESCE, Django would convert SQLite's texts, which takes five times as long.
_BETWEEN = """
SELECT key, size, mimetype, etag, COALESCE(created_at, NULL), COALESCE(updated_at, NULL) FROM catalog_indexed
WHERE catalog_id = %s AND key >= %s AND key < %s ORDER BY key LIMIT %s
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """The state of a catalog, without folder markers, including our own writes since `as_of`.

    `complete`: a crawl has finished; otherwise the numbers are those of the first one so far. `job_id`: the crawl that runs or
    was interrupted, `seen` its objects so far, `words` why it waits or ended. `left_out`: entries with keys too long to index.
    """

    as_of: datetime
    objects: int
    bytes: int
    folders: int
    newest: datetime | None
    crawling: bool
    job_id: int | None
    seen: int
    words: str
    complete: bool
    left_out: int


@dataclass(frozen=True, slots=True)
class Total:
    """The totals of the indexed buckets of a space."""

    buckets: int
    objects: int
    bytes: int
    newest: datetime | None


@dataclass(frozen=True, slots=True)
class Found:
    """One page of a search, with the totals of all pages."""

    rows: list[Entry]
    total: int
    bytes: int
    as_of: datetime


@dataclass(frozen=True, slots=True)
class Large:
    """The total of a folder and everything below it."""

    path: str
    objects: int
    bytes: int


class Sums(NamedTuple):
    """Totals of the objects of one type and age. `age` is an index into the given bounds, the last one for older objects."""

    mimetype: str
    age: int
    objects: int
    bytes: int


class Named(NamedTuple):
    """The bucket and key of an object."""

    space: str
    bucket: str
    key: str


def state(workspace: Workspace, space: str, bucket: str) -> Known | None:
    """Return the state of one catalog. None if this token has never crawled the bucket."""
    catalog = _catalog(workspace, space, bucket)
    return _known(catalog) if catalog else None


def states(workspace: Workspace, space: str) -> dict[str, Known]:
    """Return the states of all catalogs in a space, by bucket."""
    token = workspace.fingerprint(Kind.STORAGE, space)
    found = Catalog.objects.filter(space=space, token=token).exclude(as_of=None, begun_at=None).select_related("job")
    return {catalog.bucket: _known(catalog) for catalog in found}


def totals(workspace: Workspace, spaces: Collection[str]) -> dict[str, Total]:
    """Return the totals of the indexed buckets per space, as this person's tokens see them."""
    tokens = {space: workspace.fingerprint(Kind.STORAGE, space) for space in spaces}
    rows = Catalog.objects.filter(token__in={token for token in tokens.values() if token}, as_of__isnull=False).values_list(
        "space", "token"
    )
    sums = rows.annotate(Count("pk"), Sum("count"), Sum("bytes"), Max("newest"))
    return {space: Total(*numbers) for space, token, *numbers in sums if tokens.get(space) == token}


def search(
    workspace: Workspace,
    space: str,
    bucket: str,
    asked: Filter,
    *,
    sort: str = "name",
    order: Order = "asc",
    offset: int,
    limit: int,
) -> Found | None:
    """Return a page of matching objects, sorted by one of `SORTS`, unknown values last. None if this token has never crawled."""
    catalog = _catalog(workspace, space, bucket)
    if catalog is None:
        return None
    if asked.problems:
        return Found([], 0, 0, _known(catalog).as_of)
    matching = _matching(catalog, asked)
    # Sort within the index; read the rows of one page only.
    pks = list(
        matching.order_by(_sorted(SORTS[sort], order), _sorted("id", order)).values_list("pk", flat=True)[offset : offset + limit]
    )
    rows = Indexed.objects.in_bulk(pks)
    total, size = (catalog.count, catalog.bytes) if asked.finds_all and catalog.as_of else _sums(matching)
    return Found([_entry(rows[pk]) for pk in pks if pk in rows], total, size, _known(catalog).as_of)


def first(workspace: Workspace, space: str, bucket: str, path: str, *, sort: str, limit: int) -> list[Entry]:
    """Return the objects below `path` with the highest values of one of `SORTS`: the largest or the newest."""
    catalog = _catalog(workspace, space, bucket)
    if catalog is None:
        return []
    below_path = Indexed.objects.filter(below(path), catalog=catalog, is_marker=False)
    pks = list(below_path.order_by(_sorted(SORTS[sort], "desc"), "-pk").values_list("pk", flat=True)[:limit])
    rows = Indexed.objects.in_bulk(pks)
    return [_entry(rows[pk]) for pk in pks if pk in rows]


def by_name(workspace: Workspace, text: str, *, limit: int) -> list[Named]:
    """Return objects in any index of the person's tokens whose name begins with the text, then those that contain it.

    The latter only from the latest indexes, up to `CONTAINING_MAX` objects in all.
    """
    name, stores = text.lower(), [space.name for space in workspace.known_spaces()]
    tokens = Q(pk__in=[])
    for space in stores:
        tokens |= Q(space=space, token=workspace.fingerprint(Kind.STORAGE, space))
    mine = Catalog.objects.filter(tokens, count__gt=0).exclude(token="")
    catalogs = list(mine.order_by(F("as_of").desc(nulls_last=True), "-pk")[:CATALOGS_MAX])
    beginning = Indexed.objects.filter(name__gte=name, name__lt=beyond(name))
    inside = Indexed.objects.annotate(place=StrIndex("name", Value(name))).filter(place__gt=1)
    found: list[Named] = []
    for catalog in catalogs:
        found += _named(beginning, catalog, limit - len(found))
    left = CONTAINING_MAX
    for catalog in catalogs:
        if catalog.count <= left:
            left -= catalog.count
            found += _named(inside, catalog, limit - len(found))
    return found


def _named(matching: QuerySet[Indexed], catalog: Catalog, limit: int) -> list[Named]:
    if limit <= 0:
        return []
    rows = matching.filter(catalog=catalog).order_by("name").values_list("key", "is_marker")[: 2 * limit]
    return [Named(catalog.space, catalog.bucket, key) for key, is_marker in rows if not is_marker][:limit]


def keys(workspace: Workspace, space: str, bucket: str, asked: Filter, *, after: str = "") -> Iterator[Entry]:
    """Yield every matching object after the key `after`, in order of keys. Nothing if never crawled."""
    catalog = _catalog(workspace, space, bucket)
    if catalog is None or asked.problems:
        return
    matching = _matching(catalog, asked).order_by("key")
    rows = list((matching.filter(key__gt=after) if after else matching)[:AT_ONCE])
    while rows:
        yield from map(_entry, rows)
        rows = list(matching.filter(key__gt=rows[-1].key)[:AT_ONCE])


def known(workspace: Workspace, space: str, bucket: str, keys: Collection[str]) -> set[str]:
    """Return those of the keys that are in the index."""
    catalog = _catalog(workspace, space, bucket)
    found = Indexed.objects.filter(catalog=catalog, key__in=keys) if catalog else Indexed.objects.none()
    return set(found.values_list("key", flat=True))


def reader(workspace: Workspace, space: str, bucket: str, path: str = "") -> Callable[[str, str, int], list[Entry]]:
    """Return a function that reads objects: from a first key up to another, exclusive ("": all below `path`), at most so many.

    In order of keys, with folder markers. Nothing if never crawled.
    """
    catalog = _catalog(workspace, space, bucket)
    return partial(_between, catalog.pk if catalog else 0, beyond(path))


def _between(catalog: int, last: str, first: str, end: str, limit: int) -> list[Entry]:
    # Plain SQL: the conversions of a query take four times as long.
    with connection.cursor() as cursor:
        cursor.execute(_BETWEEN, [catalog, first, end or last, limit])
        rows = cursor.fetchall()
    return [
        Entry(key, size, kind or None, etag or None, created and _moment(created), updated and _moment(updated))
        for key, size, kind, etag, created, updated in rows
    ]


def _moment(stored: str | datetime) -> datetime:
    """Return a time of SQLite, which is a text in UTC, or of PostgreSQL."""
    return datetime.fromisoformat(f"{stored}Z") if isinstance(stored, str) else stored


def children(workspace: Workspace, space: str, bucket: str, path: str, text: str, *, limit: int) -> tuple[list[str], list[Entry]]:
    """Return the direct subfolders (paths) and objects of a folder whose names contain the text, in any case."""
    catalog = _catalog(workspace, space, bucket)
    if catalog is None:
        return [], []
    name = Substr("path", len(path) + 1)
    direct = Folder.objects.filter(below(path, "path"), catalog=catalog).exclude(path=path).annotate(name=name)
    named = direct.filter(name__icontains=text).alias(end=StrIndex("name", Value("/"))).filter(end=Length("name"))
    folders = named.order_by("path").values_list("path", flat=True)
    objects = Indexed.objects.filter(catalog=catalog, folder__path=path, is_marker=False, name__contains=text.lower())
    return list(folders[:limit]), [_entry(row) for row in objects.order_by("key")[:limit]]


def folder_sizes(workspace: Workspace, space: str, bucket: str, folders: Collection[str]) -> dict[str, tuple[int, int]]:
    """Return objects and bytes of each folder, including everything below; unknown folders are left out."""
    catalog = _catalog(workspace, space, bucket)
    if catalog is None or catalog.as_of is None:
        return {}
    found: dict[str, tuple[int, int]] = {}
    beside: dict[str, set[str]] = defaultdict(set)
    for path in folders:
        beside[folder_of(path[:-1])].add(path)
    for parent, paths in beside.items():
        between = Q(path__gte=min(paths), path__lt=beyond(max(paths)))
        rows = _sums_below(catalog, parent, between)
        found |= {path: (count, size) for path, count, size, uncounted in rows if path in paths and not uncounted}
    return found


def sums(workspace: Workspace, space: str, bucket: str, path: str, since: Sequence[datetime]) -> list[Sums]:
    """Sum up the objects below `path` by type and age. `since`: where each age begins, youngest first."""
    catalog = _catalog(workspace, space, bucket)
    if catalog is None or catalog.as_of is None:
        return []
    ages = [When(updated_at__gte=moment, then=Value(age)) for age, moment in enumerate(since)]
    age = Case(*ages, default=Value(len(since)), output_field=IntegerField())
    found = Indexed.objects.filter(below(path), catalog=catalog, is_marker=False).annotate(age=age).order_by()
    size = Coalesce(Sum("size"), 0, output_field=BigIntegerField())
    rows = found.values("mimetype", "age").annotate(held=Count("pk"), total=size)
    return [Sums(*row) for row in rows.values_list("mimetype", "age", "held", "total")]


def direct(workspace: Workspace, space: str, bucket: str, path: str) -> Large | None:
    """Return the totals of the objects directly in `path`; None if the folder isn't indexed."""
    catalog = _catalog(workspace, space, bucket)
    row = Folder.objects.filter(catalog=catalog, path=path).values_list("count", "bytes").first() if catalog else None
    return Large(path, row[0] or 0, row[1]) if row else None


def largest(workspace: Workspace, space: str, bucket: str, path: str = "", *, limit: int = 10) -> list[Large]:
    """Return the direct subfolders of `path` with the most bytes."""
    catalog = _catalog(workspace, space, bucket)
    if catalog is None or catalog.as_of is None:
        return []
    rows = _sums_below(catalog, path, Q(), "-size", "head")[:limit]
    return [Large(place, count, size) for place, count, size, _ in rows if count]


def below(path: str, field: str = "key") -> Q:
    """Match everything whose key (or path) begins with this folder."""
    if not path:
        return Q()
    return Q(**{f"{field}__gte": path, f"{field}__lt": beyond(path)})


def beyond(path: str) -> str:
    """Return the first text that sorts after everything with this prefix; without one, a text after all keys."""
    return path[:-1] + chr(ord(path[-1]) + 1) if path else END


def _catalog(workspace: Workspace, space: str, bucket: str) -> Catalog | None:
    token = workspace.fingerprint(Kind.STORAGE, space)
    found = Catalog.objects.filter(space=space, bucket=bucket, token=token).select_related("job").first()
    return found if token and found and (found.as_of or found.begun_at) else None


def _known(catalog: Catalog) -> Known:
    as_of = catalog.as_of or catalog.begun_at
    if as_of is None:
        raise ValueError("a catalog of nothing")
    alive = catalog.job is not None and catalog.job.state not in ENDED
    return Known(
        as_of=as_of,
        objects=catalog.count,
        bytes=catalog.bytes,
        folders=catalog.folder_count,
        newest=catalog.newest,
        crawling=alive,
        job_id=catalog.job_id,
        seen=catalog.job.done if catalog.job else 0,
        words=catalog.job.message if catalog.job else "",
        complete=catalog.as_of is not None,
        left_out=catalog.left_out,
    )


def _matching(catalog: Catalog, asked: Filter) -> QuerySet[Indexed]:
    found = Indexed.objects.filter(catalog=catalog, is_marker=False)
    for word in asked.words:
        found = found.filter(key__icontains=word)
    for name in asked.names:
        found = found.filter(name__contains=name)
    found = found.filter(_any(Q(name__endswith=f".{ending}") for ending in asked.endings))
    found = found.filter(_any(Q(mimetype__istartswith=kind) for kind in asked.types))
    found = found.filter(_any(below(path) for path in asked.folders))
    if asked.least is not None:
        found = found.filter(size__gte=asked.least)
    if asked.most is not None:
        found = found.filter(size__lte=asked.most)
    if asked.changed_before:
        found = found.filter(updated_at__lt=asked.changed_before)
    if asked.changed_after:
        found = found.filter(updated_at__gte=asked.changed_after)
    return found


def _sorted(column: str, order: Order) -> OrderBy:
    last = column in UNKNOWN or None
    return F(column).desc(nulls_last=last) if order == "desc" else F(column).asc(nulls_last=last)


def _any(conditions: Iterator[Q]) -> Q:
    either = Q()
    for condition in conditions:
        either |= condition
    return either


def _sums(matching: QuerySet[Indexed]) -> tuple[int, int]:
    sums = matching.aggregate(total=Count("pk"), size=Sum("size"))
    return sums["total"], sums["size"] or 0


def _sums_below(catalog: Catalog, parent: str, only: Q, *order: str) -> "QuerySet[Folder, tuple[str, int, int, int]]":
    """Yield totals per direct subfolder of `parent`: path, objects, bytes, and the number of folders not counted yet."""
    head = Left("path", StrIndex(Substr("path", len(parent) + 1), Value("/")) + Value(len(parent)), output_field=TextField())
    found = Folder.objects.filter(below(parent, "path"), only, catalog=catalog).exclude(path=parent).annotate(head=head)
    sums = found.values("head").annotate(
        held=Coalesce(Sum("count"), 0, output_field=BigIntegerField()),
        size=Coalesce(Sum("bytes"), 0, output_field=BigIntegerField()),
        uncounted=Count("pk", filter=Q(count=None)),
    )
    return cast(
        "QuerySet[Folder, tuple[str, int, int, int]]", sums.order_by(*order).values_list("head", "held", "size", "uncounted")
    )


def _entry(row: Indexed) -> Entry:
    return Entry(
        key=row.key,
        size=row.size,
        mimetype=row.mimetype or None,
        etag=row.etag or None,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
