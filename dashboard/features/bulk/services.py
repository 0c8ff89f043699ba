"""Start jobs on many objects, and list folders to choose as a destination."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from dashboard.catalog import contents, named_buckets
from dashboard.catalog.contents import Count, Limits, count_folders
from dashboard.catalog.keys import is_pending, printable, trail
from dashboard.catalog.selection import Selection
from dashboard.catalog.walk import list_page
from dashboard.features.bulk import rules
from dashboard.features.bulk.rules import Labels, Transfer
from dashboard.jobs.models import Approval, Job
from dashboard.jobs.plans import Plan
from dashboard.jobs.transitions import start
from dashboard.links import follow, holders, ledger
from dashboard.snapshots import trash
from dashboard.tokens.sight import sees_all
from dashboard.tokens.workspace import Workspace
from dashboard.web.process.parallel import side_by_side

DELETION, MOVE, COPY, EMPTYING, REMOVAL = "delete objects", "move objects", "copy objects", "empty bucket", "remove bucket"
LABELLING = "label objects"
TITLE_PART_MAX = 60
# A dialog doesn't wait longer for its count.
COUNT_SECONDS = 5.0
# Names of what a bucket holds that it shows.
NAMES = 10
# Objects that it looks up.
FEW = Limits(objects=rules.BATCH, lists=0, pages=5, lookups=100)


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder to choose."""

    name: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The folders in one folder of a bucket. `more`: offset of the next page, None at the end. `nothing`: why there are none."""

    bucket: str
    path: str
    buckets: list[str]
    steps: list[Folder]
    folders: list[Folder]
    more: int | None
    nothing: str


@dataclass(frozen=True, slots=True)
class Forecast:
    """The plan that a job will most likely make, and the number of objects, empty folders and requested files in it.

    `names`: the first ones of a whole bucket.
    """

    plan: Plan
    number: int
    names: tuple[str, ...] = ()


def forecast_deletion(workspace: Workspace, selection: Selection) -> Forecast | None:
    """Count the selected folders and objects (S13). None if that takes long, or if there is nothing."""
    if is_large(selection):
        return None
    found = _forecast(workspace, selection, {"selection": selection.as_parameters()}, rules.deletion)
    return found if found and found.number else None


def is_large(selection: Selection) -> bool:
    """Whether only a job can count it: a search, or more objects than a job deletes at once."""
    return bool(selection.filter) or len(selection.keys) > rules.BATCH


def forecast_emptying(workspace: Workspace, space: str, bucket: str) -> Forecast | None:
    """Count the bucket (S13). None if that takes long."""
    return _forecast(workspace, Selection(space, bucket, folders=("",)), {"bucket": bucket}, rules.emptying)


def forecast_removal(workspace: Workspace, space: str, bucket: str) -> Forecast | None:
    """Count the bucket (S13). None if that takes long."""
    return _forecast(workspace, Selection(space, bucket, folders=("",)), {"bucket": bucket}, rules.removal)


def _forecast(
    workspace: Workspace, selection: Selection, parameters: dict[str, Any], describe: Callable[[Job], Plan]
) -> Forecast | None:
    space, bucket, folders = selection.space, selection.bucket, selection.folders
    chosen = _tally(workspace, selection) if selection.keys else {}
    inside = count_folders(workspace.storage(space), bucket, folders, seconds=COUNT_SECONDS) if folders else Count({}, [])
    if chosen is None or inside is None:
        return None
    facts: dict[str, Any] = {name: chosen.get(name, 0) + inside.facts.get(name, 0) for name in {**chosen, **inside.facts}}
    facts["days"] = trash.days_of(space, bucket)
    dying, number = follow.dying_ids(space, bucket, keys=selection.keys, folders=folders), rules.number_of(facts)
    held = holders.named(space, bucket, folders, links=False)
    facts |= {"links": len(dying), "link names": ledger.named(workspace.person, dying), "held": held}
    names = [*map(printable, inside.names[:NAMES]), *(["and more"] if len(inside.names) > NAMES else [])]
    return Forecast(describe(Job(parameters=parameters, facts=facts, total=number)), number, tuple(names))


def _tally(workspace: Workspace, selection: Selection) -> dict[str, int] | None:
    """Count the selected objects (S13), without the folders. None if they are not found fast."""
    facts: dict[str, int] = {}
    found = contents.count(workspace, replace(selection, folders=()), limits=FEW)
    if found is None or found.unchecked or found.missing:
        return None
    contents.tally(facts, found.found)
    return facts


def delete(workspace: Workspace, selection: Selection, *, back: str, confirmed: int | None = None, policy: str = "") -> Job:
    """Delete the selection (S8), which is kept first, unless `policy` is UNKEPT.

    Its owner has to approve the plan unless it holds the number that they confirmed.
    """
    return _start_confirmed(
        workspace,
        DELETION,
        confirmed,
        title=f"Delete {_named(selection)} from {selection.bucket}",
        place=selection.space,
        back=back,
        parameters={"selection": selection.as_parameters()} | ({"policy": policy} if policy else {}),
    )


def transfer(workspace: Workspace, wanted: Transfer, *, back: str) -> Job:
    """Move or copy (S11, S12). Needs approval only if there are conflicts."""
    return _start_transfer(
        workspace, wanted, f"{wanted.verb.capitalize()} {_named(wanted.selection)} to {_place(wanted)}", back=back
    )


def rename(workspace: Workspace, wanted: Transfer, *, back: str) -> Job:
    """Rename one object, or everything in a folder (S11)."""
    return _start_transfer(workspace, wanted, f"Rename {_named(wanted.selection)} to {_short(wanted.to)}", back=back)


def label(workspace: Workspace, selection: Selection, labels: Labels, *, back: str) -> Job:
    """Set type and Cache-Control (S12, or S18 and S10)."""
    parameters = {"selection": selection.as_parameters(), **labels.as_parameters()}
    title = f"Change type and caching of {_named(selection)}"
    return start(
        workspace, LABELLING, title=title, place=selection.space, back=back, parameters=parameters, approval=Approval.ON_CONFLICT
    )


def empty(workspace: Workspace, space: str, bucket: str, *, back: str, confirmed: int | None = None, policy: str = "") -> Job:
    """Keep and delete what the bucket holds (S8); where nothing is kept, empty it (S3, or S8 if the service refuses that).

    It is approved as in `delete`.
    """
    return _start_on_bucket(workspace, EMPTYING, "Empty", space, bucket, back=back, confirmed=confirmed, policy=policy)


def remove(workspace: Workspace, space: str, bucket: str, *, back: str, confirmed: int | None = None, policy: str = "") -> Job:
    """Empty the bucket as `empty` does, then delete it (S6)."""
    return _start_on_bucket(workspace, REMOVAL, "Empty and delete", space, bucket, back=back, confirmed=confirmed, policy=policy)


def read_choice(workspace: Workspace, space: str, bucket: str, path: str, *, source: str, offset: int = 0) -> Choice:
    """Return the folders of a bucket to choose from (S2 and S13 in parallel). `source` is listed even if S2 doesn't return it."""
    storage = workspace.storage(space)
    buckets, page = side_by_side(storage.buckets.all, partial(list_page, storage, bucket, path, offset=offset, every_folder=True))
    names = sorted({found.id for found in buckets} | {source, *named_buckets.names(workspace, space)}, key=str.casefold)
    return Choice(
        bucket=bucket,
        path=path,
        buckets=names,
        steps=[Folder(printable(name) or "(no name)", below) for name, below in trail(path)],
        folders=[
            Folder(printable(below[len(path) : -1]) or "(no name)", below)
            for below in page.folders
            if below.startswith(path) and not is_pending(below)
        ],
        more=page.next_offset,
        nothing="No folders here." if sees_all(workspace, space) else "No folders visible. You can type one below.",
    )


def _start_transfer(workspace: Workspace, wanted: Transfer, title: str, *, back: str) -> Job:
    kind = MOVE if wanted.verb == "move" else COPY
    parameters = wanted.as_parameters()
    return start(
        workspace, kind, title=title, place=wanted.space, back=back, parameters=parameters, approval=Approval.ON_CONFLICT
    )


def _start_on_bucket(
    workspace: Workspace, kind: str, verb: str, space: str, bucket: str, *, back: str, confirmed: int | None, policy: str
) -> Job:
    title = f"{verb} bucket {_short(bucket)}"
    parameters = {"space": space, "bucket": bucket} | ({"policy": policy} if policy else {})
    return _start_confirmed(workspace, kind, confirmed, title=title, place=space, back=back, parameters=parameters)


def _start_confirmed(
    workspace: Workspace, kind: str, confirmed: int | None, *, title: str, place: str, back: str, parameters: dict[str, Any]
) -> Job:
    approval = Approval.REQUIRED if confirmed is None else Approval.ON_CONFLICT
    parameters |= {} if confirmed is None else {rules.CONFIRMED: confirmed}
    return start(workspace, kind, title=title, place=place, back=back, parameters=parameters, approval=approval)


def _named(selection: Selection) -> str:
    """Name a single object or folder; count several."""
    return _short(selection.only or selection.sentence())


def _place(wanted: Transfer) -> str:
    there = _short(wanted.to) if wanted.to else "the bucket's root"
    if not wanted.is_across:
        return there
    return f"{_short(wanted.bucket)}, {there}" if wanted.to else f"bucket {_short(wanted.bucket)}"


def _short(text: str) -> str:
    shown = printable(text)
    return shown if len(shown) <= TITLE_PART_MAX else f"{shown[: TITLE_PART_MAX // 2]}…{shown[-TITLE_PART_MAX // 2 + 1 :]}"
