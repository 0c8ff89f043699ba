"""Jobs whose effect is a line in a file: what was done twice stands there twice, what was lost is missing."""

import os
import time
from pathlib import Path

from dashboard.jobs import JobItem, Kind, Slice, Timer, kinds, timers
from dashboard.tokens import Workspace


def register() -> None:
    for kind in KINDS:
        kinds.register(kind)
    timers.register("trial tick", tick)


def write(file: str, text: str) -> None:
    """One line, whole or not at all."""
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(descriptor, f"{text}\n".encode())
    os.close(descriptor)


def written(file: str | Path) -> list[str]:
    return Path(file).read_text().split() if Path(file).exists() else []


def one_by_one(workspace: Workspace, piece: Slice) -> None:
    for item in piece.items:
        if piece.stopping:
            piece.again(item)
            continue
        write(piece.parameters["file"], item.target)
        time.sleep(piece.parameters.get("seconds", 0))
        piece.done(item, result={"process": os.getpid()})


def side_by_side(workspace: Workspace, piece: Slice) -> None:
    def call(item: JobItem) -> None:
        time.sleep(piece.parameters.get("seconds", 0))
        write(piece.parameters["file"], item.target)
        time.sleep(piece.parameters.get("seconds", 0))

    piece.each(call)


def read_back(workspace: Workspace, piece: Slice) -> None:
    there = set(written(piece.parameters["file"]))
    for item in piece.items:
        if item.target in there:
            piece.done(item)
        else:
            piece.again(item)


def by_cursor(workspace: Workspace, piece: Slice) -> None:
    """Pages of a number each. The effect and the cursor may part ways at a kill: repeating the last page has to be harmless."""
    page = int(piece.cursor)
    write(piece.parameters["file"], str(page))
    time.sleep(piece.parameters.get("seconds", 0))
    piece.proceed(page + 1 if page < piece.parameters["pages"] else None, seen=10)


def hang(workspace: Workspace, piece: Slice) -> None:
    write(piece.parameters["file"], "begun")
    time.sleep(60)


def tick(workspace: Workspace, timer: Timer) -> float | None:
    write(timer.payload["file"], f"{time.time():.3f}")
    timer.payload["times"] = timer.payload.get("times", 0) + 1
    return None if timer.payload["times"] >= timer.payload.get("most", 100) else timer.every


KINDS = (
    Kind("trial one by one", title="Write lines", step=one_by_one, settle=read_back, at_once=5, quiet=0),
    Kind("trial side by side", title="Write lines", step=side_by_side, settle=read_back, at_once=20, quiet=0.3),
    Kind("trial by cursor", title="Write pages", step=by_cursor, quiet=0),
    Kind("trial hang", title="Hang", step=hang, settle=read_back, quiet=0),
)
