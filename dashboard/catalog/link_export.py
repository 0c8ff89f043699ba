"""Export signed links as lines, CSV or a download script. All are generators."""

import shlex
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from django.utils.text import slugify

from dashboard.catalog.walk import Entry
from dashboard.web.files import spreadsheet

PARTIAL = ".part"

SCRIPT = r"""#!/bin/sh
# Fetches objects of the bucket %(bucket)s into the folder %(folder)s, which it makes where it is run.
# Run it again to go on where it stopped; what is there already is not fetched twice.
# The links in it work until %(ends)s for anyone who has this file.
set -u
# A folder of its own: no name of an object can replace a file of yours.
if [ -L ./%(folder)s ]; then
  printf 'nothing was fetched: %(folder)s is a symbolic link\n' >&2
  exit 1
fi
mkdir -p ./%(folder)s && cd ./%(folder)s || exit 1
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


@dataclass(frozen=True, slots=True)
class Linked:
    """An object, its file name and its link. `refusal` is the reason if there is no link."""

    entry: Entry
    name: str
    address: str
    refusal: str


Lines = Callable[[Iterable[Linked], str, datetime], Iterator[str]]


def as_lines(linked: Iterable[Linked], _bucket: str, _ends_at: datetime) -> Iterator[str]:
    """Yield one address per line, without the objects that have no link."""
    return (f"{link.address}\n" for link in linked if link.address)


def as_csv(linked: Iterable[Linked], _bucket: str, ends_at: datetime) -> Iterator[str]:
    yield spreadsheet.line(["key", "name", "bytes", "address", "ends at", "refusal"])
    for link in linked:
        end = ends_at.isoformat() if link.address else ""
        yield spreadsheet.line([link.entry.key, link.name, link.entry.size, link.address, end, link.refusal])


def as_script(linked: Iterable[Linked], bucket: str, ends_at: datetime) -> Iterator[str]:
    """Yield a POSIX shell script that downloads with curl; names and addresses are quoted."""
    shown = "".join(character if character.isprintable() else "?" for character in bucket)
    yield SCRIPT % {"bucket": shown, "folder": _folder(bucket), "ends": f"{ends_at:%Y-%m-%d %H:%M} UTC", "part": PARTIAL}
    refused = 0
    for link in linked:
        if not link.address:
            refused += 1
            yield f"printf 'no link: %s\\n' {shlex.quote(link.name)} >&2\n"
            continue
        size = "" if link.entry.size is None else str(link.entry.size)
        yield f"fetch {shlex.quote(f'./{link.name}')} '{size}' {shlex.quote(link.address)}\n"
    yield LAST % {"refused": refused}


def _folder(bucket: str) -> str:
    """Return the script's folder name (letters, digits and hyphens): the bucket's name if valid, else a unique one."""
    name = slugify(bucket)
    return f"{name}-files" if name == bucket else f"{name or 'bucket'}-{sha256(bucket.encode()).hexdigest()[:8]}-files"
