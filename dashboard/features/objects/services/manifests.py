"""A list of presigned links: a script that fetches and resumes, CSV, or JSON. Written while the objects are being listed."""

import json
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from dashboard.features.objects.services.gathering import base_of, entries
from dashboard.features.objects.services.linking import give_links
from dashboard.index.membernames import Names
from dashboard.index.selection import Selection
from dashboard.index.walking import Entry
from dashboard.tokens.workspace import Workspace

BATCH = 1000
PARTIAL = ".part"

SCRIPT = r"""#!/bin/sh
# Fetches objects of the bucket %(bucket)s into the folder it is run in.
# Run it again to go on where it stopped; what is here already is not fetched twice.
# The links in it work until %(ends)s for anyone who has this file.
set -u
have=0 done=0 failed=0
fetch() { # name, bytes ("" when not known), address
  if [ -f "$1" ] && { [ -z "$2" ] || [ "$(wc -c <"$1")" -eq "$2" ]; }; then
    have=$((have + 1))
    return
  fi
  case $1 in */*/*) mkdir -p "${1%%/*}" ;; esac
  # A part that is longer than the object belongs to another state of it.
  if [ -n "$2" ] && [ -f "$1%(part)s" ] && [ "$(wc -c <"$1%(part)s")" -ge "$2" ]; then rm -f "$1%(part)s"; fi
  if curl -fsSg --retry 3 -C - -o "$1%(part)s" "$3" </dev/null; then
    # An object of no bytes leaves no file behind.
    [ -f "$1%(part)s" ] || : >"$1%(part)s"
    if [ -z "$2" ] || [ "$(wc -c <"$1%(part)s")" -eq "$2" ]; then
      mv -f "$1%(part)s" "$1" && done=$((done + 1)) && return
    fi
  fi
  failed=$((failed + 1))
  printf 'not fetched: %%s\n' "$1" >&2
}
"""
LAST = r"""
printf '%%s fetched, %%s were here, %%s failed, %(refused)d had no link\n' "$done" "$have" "$failed"
[ "$failed" -eq 0 ]
"""

Lines = Callable[[Iterator["Linked"], Selection, datetime], Iterator[str]]


@dataclass(frozen=True, slots=True)
class Linked:
    """An object, its name for a file, and its link; `refusal` says why there is none."""

    entry: Entry
    name: str
    address: str
    refusal: str


def manifest(workspace: Workspace, selection: Selection, *, lines: Lines, ends_at: datetime, base: str) -> Iterator[bytes]:
    """The whole text in blocks. S13 for folders, and S15 for each 1,000 objects, written in the journal one by one."""
    linked = _linked(workspace, selection, ends_at, base)
    for line in lines(linked, selection, ends_at):
        yield line.encode()


def as_script(linked: Iterator[Linked], selection: Selection, ends_at: datetime) -> Iterator[str]:
    """POSIX sh, with curl. No name or address in it can be taken for anything but itself."""
    bucket = "".join(character if character.isprintable() else "?" for character in selection.bucket)
    yield SCRIPT % {"bucket": bucket, "ends": f"{ends_at:%Y-%m-%d %H:%M} UTC", "part": PARTIAL}
    refused = 0
    for link in linked:
        if not link.address:
            refused += 1
            yield f"printf 'no link: %s\\n' {shlex.quote(link.name)} >&2\n"
            continue
        size = "" if link.entry.size is None else str(link.entry.size)
        yield f"fetch {shlex.quote(f'./{link.name}')} '{size}' {shlex.quote(link.address)}\n"
    yield LAST % {"refused": refused}


def as_json(linked: Iterator[Linked], selection: Selection, ends_at: datetime) -> Iterator[str]:
    """One object with a list, an entry a line."""
    head = {"bucket": selection.bucket, "ends_at": ends_at.isoformat()}
    yield json.dumps(head)[:-1] + ', "objects": ['
    comma = "\n"
    for link in linked:
        row = {"key": link.entry.key, "name": link.name, "size": link.entry.size, "address": link.address or None}
        yield comma + json.dumps(row | ({"refusal": link.refusal} if link.refusal else {}))
        comma = ",\n"
    yield "\n]}\n"


def _linked(workspace: Workspace, selection: Selection, ends_at: datetime, base: str) -> Iterator[Linked]:
    names = Names(base=base_of(selection))
    found = entries(workspace, selection)
    while batch := list(islice(found, BATCH)):
        keys = [entry.key for entry in batch]
        given = give_links(workspace, selection.space, selection.bucket, keys, ends_at=ends_at, base=base)
        for entry, name, link in zip(batch, names.give(keys), given.links, strict=True):
            yield Linked(entry, name, link.address, link.refusal)
