"""`manage.py snapshot`: list, verify and export snapshots with the store alone, when nothing else is left.

Needs SNAPSHOT_URL and its credentials; no service, no database, no keys, no Django.
"""

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from dashboard.launch.environment import snapshot_url
from dashboard.launch.rules import Refusal, problems
from dashboard.launch.supervisor import ROOT
from dashboard.snapshots import export
from dashboard.snapshots.manifest import Head, Heads, heads_at, ident_of, read_head
from dashboard.snapshots.store import NONE, S3_SETTINGS, Store, StoreError, folder_of, open_store

TAR = "-"
DONE, FOUND, REFUSED = 0, 1, 2


def main(arguments: Sequence[str]) -> int:
    """Return the exit status: 0 if all is well, 1 if objects are damaged or left out, 2 if nothing could be done."""
    given = _parser().parse_args(arguments)
    try:
        store = _open(given.data)
        match given.verb:
            case "list":
                return _list(store, given.snapshot)
            case "verify":
                return _verify(store, given.snapshot)
            case _:
                return _export(store, given.snapshot, given.target)
    except (Refusal, StoreError, OSError) as error:
        sys.stderr.write(f"pilothouse: {error}\n")
        return REFUSED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="manage.py snapshot", description="Read snapshots with nothing but their store, which SNAPSHOT_URL names."
    )
    folder = Path(os.environ.get("DATA_DIR") or ROOT / ".data")
    parser.add_argument(
        "--data", type=Path, default=folder, metavar="DIR", help="data folder of `start`, without SNAPSHOT_URL (%(default)s)"
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    listing = verbs.add_parser("list", help="list the snapshots, or the objects of one as JSON lines")
    listing.add_argument("snapshot", nargs="?")
    checking = verbs.add_parser("verify", help="read and check every chunk of one snapshot, or of all")
    checking.add_argument("snapshot", nargs="?")
    exporting = verbs.add_parser("export", help="write the files of a snapshot into an empty folder")
    exporting.add_argument("snapshot")
    exporting.add_argument("target", help=f"the folder; “{TAR}” writes a tar stream")
    return parser


def _open(data: Path) -> Store:
    names = ("SNAPSHOT_URL", *S3_SETTINGS)
    if wrong := problems({name: os.environ[name] for name in names if name in os.environ}):
        raise Refusal(wrong[0])
    url = snapshot_url(os.environ, data.expanduser())
    if url == NONE:
        raise Refusal("Set SNAPSHOT_URL, or name the data folder of `start` with --data.")
    if (folder := folder_of(url)) and not folder.is_dir():
        raise Refusal(f"There is no folder {folder}.")
    return open_store(url, os.environ)


def _list(store: Store, ident: str | None) -> int:
    if ident:
        for entry in export.entries(store, _find(store, ident)):
            sys.stdout.buffer.write(msgspec.json.encode(entry) + b"\n")
        return DONE
    heads = heads_at(store, store.heads())
    for head in heads.read:
        left_out = f"  {head.left_out} left out" if head.left_out else ""
        trash = f"  {head.verb} by {head.deleted_by}" if head.is_trash else ""
        sys.stdout.write(f"{head.id}  {head.space}/{head.of}  {head.objects} objects  {head.bytes} bytes{left_out}{trash}\n")
    return _unread(heads)


def _verify(store: Store, ident: str | None) -> int:
    known: set[bytes] = set()
    heads = Heads([_find(store, ident)], []) if ident else heads_at(store, store.heads())
    status = _unread(heads)
    for head in heads.read:
        found = list(export.verify(store, head, known))
        sys.stdout.write(f"{head.id}  {head.space}/{head.of}  {f'{len(found)} damaged' if found else 'verified'}\n")
        sys.stdout.writelines(f"  {line}\n" for line in found)
        status = FOUND if found else status
    return status


def _unread(heads: Heads) -> int:
    sys.stderr.writelines(f"{ident_of(path)}  can't be read\n" for path in heads.damaged)
    return FOUND if heads.damaged else DONE


def _export(store: Store, ident: str, target: str) -> int:
    head = _find(store, ident)
    if target == TAR:
        return _told(export.to_tar(store, head, sys.stdout.buffer))
    return _told(export.to_folder(store, head, Path(target)))


def _told(lines: Iterable[str]) -> int:
    status = DONE
    for line in lines:
        sys.stderr.write(f"{line}\n")
        status = status if line.startswith("renamed") else FOUND
    return status


def _find(store: Store, ident: str) -> Head:
    for path in store.heads():
        if ident_of(path) == ident:
            return read_head(store, path)
    raise Refusal(f"There is no snapshot {ident} in this store.")
