"""Erase a file or a folder of a bucket from all snapshots and from the trash, by any token: a job, which holds the store.

Each snapshot that holds them is written anew without them: its head, and the segments and lists that name them. Then what no
manifest needs any more is removed, as after a deletion of snapshots. A snapshot that was added since may hold them too, so all
begins anew. The bucket is not touched.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from time import monotonic
from typing import NamedTuple

import msgspec

from dashboard.catalog.keys import printable
from dashboard.jobs.batch import Batch, Stop
from dashboard.jobs.models import Job
from dashboard.jobs.transitions import start
from dashboard.journal.recorder import record
from dashboard.snapshots.capture import CALL_SECONDS, claim, hold, in_store, require_own, store
from dashboard.snapshots.collect import ERASE, STEP_SECONDS, SWEEP, being_restored, described, marking, state_of
from dashboard.snapshots.manifest import (
    AFTER_SLASH,
    Entry,
    Head,
    Manifest,
    Segment,
    pack,
    place_of,
    read_head,
    unpack,
    write_head,
)
from dashboard.snapshots.store import HEADS, Damaged, Missing
from dashboard.snapshots.trash import NAMED
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace
from dashboard.web.process import liveness
from dashboard.web.text import counted


class Part(NamedTuple):
    """A segment without the keys (None: nothing is left), and what was taken out: objects, their bytes, entries without bytes."""

    segment: Segment | None
    objects: int = 0
    bytes: int = 0
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Eraser:
    """Takes one key, or the keys that begin with `path` if that ends with a slash, out of manifests. `_parts`: by chunk."""

    path: str
    _parts: dict[str, Part] = field(default_factory=dict)

    @property
    def end(self) -> str:
        """The first text that sorts after all of these keys."""
        return f"{self.path[:-1]}{AFTER_SLASH}" if self.path.endswith("/") else f"{self.path}\0"

    def names(self, key: str) -> bool:
        return self.path <= key < self.end

    def without(self, head: Head) -> Head | None:
        """Store the chunks of the snapshot without these keys, and return its new head; None if it holds none of them."""
        lists, parts = list[str](), list[Part]()
        for name in head.lists:
            segments = unpack(store().chunk(name), Segment)
            done = self._taken_out(segments)
            kept = [part.segment for part in done if part.segment]
            parts += done
            if kept == segments:
                lists.append(name)
            elif kept:
                lists.append(store().add(pack(kept))[0])
        if lists == head.lists:
            return None
        names = [key for key in head.names if not self.names(key)]
        if head.is_trash:
            firsts = (entry.key for entry in islice(Manifest(store(), lists), NAMED))
            names = list(dict.fromkeys([*names, *firsts]))[:NAMED]
        return msgspec.structs.replace(
            head,
            lists=lists,
            names=names,
            objects=head.objects - sum(part.objects for part in parts),
            bytes=head.bytes - sum(part.bytes for part in parts),
            left_out=head.left_out - sum(part.left_out for part in parts),
        )

    def _taken_out(self, segments: Sequence[Segment]) -> list[Part]:
        followers: list[Segment | None] = [*segments[1:], None]
        return [self._part(segment, follower) for segment, follower in zip(segments, followers, strict=True)]

    def _part(self, segment: Segment, follower: Segment | None) -> Part:
        if segment.first >= self.end or (follower and follower.first <= self.path):
            return Part(segment)
        if segment.chunk not in self._parts:
            self._parts[segment.chunk] = self._read(segment)
            liveness.note()
        return self._parts[segment.chunk]

    def _read(self, segment: Segment) -> Part:
        entries = unpack(store().chunk(segment.chunk), Entry)
        kept = [entry for entry in entries if not self.names(entry.key)]
        if len(kept) == len(entries):
            return Part(segment)
        gone = [entry for entry in entries if self.names(entry.key)]
        whole = [entry for entry in gone if not entry.left_out]
        sums = len(whole), sum(entry.size or 0 for entry in whole), len(gone) - len(whole)
        if not kept:
            return Part(None, *sums)
        chunk, _ = store().add(pack(kept))
        return Part(Segment(kept[0].key, chunk, len(kept), sum(bool(entry.left_out) for entry in kept)), *sums)


def begin(workspace: Workspace, space: str, bucket: str, path: str, *, back: str) -> Job:
    """Start erasing a key, or a folder if `path` ends with a slash."""
    require_own(workspace, space)
    token = workspace.fingerprint(Kind.STORAGE, space)
    return start(
        workspace,
        ERASE,
        title=f"Erase {printable(path)} from the snapshots of {bucket}",
        place=space,
        back=back,
        parameters={"space": space, "bucket": bucket, "token": token, "path": path},
        cursor={"phase": "rewrite"},
    )


def step(workspace: Workspace, batch: Batch) -> None:
    """Advance by cursor: rewrite snapshots, mark what all of them need, remove the rest."""
    with in_store(workspace, batch):
        hold(workspace, batch, seconds=CALL_SECONDS)
        _STEPS[batch.cursor["phase"]](workspace, batch)


def _rewrite(workspace: Workspace, batch: Batch) -> None:
    """Rewrite snapshots for a few seconds, from the first one on if the store has changed.

    One that can't be read is left to the marking, which names it and stops.
    """
    cursor, until = batch.cursor, monotonic() + STEP_SECONDS
    heads = store().heads()
    if cursor.get("state") != state_of(heads):
        claim()
        store().begin_generation()
        heads = store().heads()
        cursor = {"phase": "rewrite", "state": state_of(heads), "after": ""}
    place = f"{HEADS}{place_of(batch.parameters['space'], batch.parameters['bucket'])}/"
    eraser, changed, after = Eraser(batch.parameters["path"]), list[tuple[Head, Head]](), ""
    for path in sorted(path for path in heads if path.startswith(place) and path > cursor["after"]):
        try:
            head = read_head(store(), path)
            if new := eraser.without(head):
                changed.append((head, new))
        except (Missing, Damaged):
            pass
        if monotonic() > until or batch.stopping:
            after = path
            break
    emptied = _write(workspace, batch, changed) if changed else set[str]()
    erased = batch.facts.get("snapshots", 0)
    batch.facts["remark"] = f"erased from {counted(erased, 'snapshot')}" if erased else "no snapshot holds it"
    state = state_of([path for path in heads if path not in emptied])
    batch.advance({"phase": "rewrite", "state": state, "after": after} if after else marking(state))


def _write(workspace: Workspace, batch: Batch, changed: Sequence[tuple[Head, Head]]) -> set[str]:
    """Replace snapshots, journaled as one entry. Remove deletions that hold nothing any more, and return their paths."""
    restored = being_restored()
    for head, _ in changed:
        if head.id in restored:
            raise Stop(f"A job restores from {described(head)}. Erase again once that has ended.")
    emptied = {new.path for _, new in changed if new.is_trash and not new.lists}
    with record(
        person_id=workspace.person.pk,
        operation="file erased",
        target=f"{batch.parameters['path']} from {counted(len(changed), 'snapshot')} of bucket {batch.parameters['bucket']}",
        place=batch.parameters["space"],
        before={"snapshots": [head.id for head, _ in changed]},
        token=batch.parameters["token"],
        action=workspace.action,
    ):
        for _, new in changed:
            if new.path in emptied:
                store().remove(new.path)
            else:
                write_head(store(), new)
    batch.facts["snapshots"] = batch.facts.get("snapshots", 0) + len(changed)
    return emptied


_STEPS: dict[str, Callable[[Workspace, Batch], None]] = {"rewrite": _rewrite, **SWEEP}
