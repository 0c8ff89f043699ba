"""Threads for the calls of a job, a few per worker process. They ask the service and nobody else: never the database."""

from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from typing import TypeVar

from dashboard.web.parallel import without_database

Given = TypeVar("Given")
Got = TypeVar("Got")

SIZE = 16
AT_ONCE = 8


@cache
def pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(SIZE, thread_name_prefix="job-call", initializer=without_database)


def side_by_side(call: Callable[[Given], Got], things: Iterable[Given]) -> list[Got]:
    """What `call` answers for each, in order. The first error ends it, after those that run have ended."""
    answers: list[Got] = []
    running: deque[Future[Got]] = deque()
    try:
        for thing in things:
            if len(running) >= AT_ONCE:
                answers.append(running.popleft().result())
            running.append(pool().submit(call, thing))
        while running:
            answers.append(running.popleft().result())
    finally:
        wait(running)
    return answers
