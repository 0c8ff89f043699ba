"""Threads for the calls of a job, a few per worker process. They ask the service and nobody else: never the database."""

from concurrent.futures import ThreadPoolExecutor
from functools import cache

from dashboard.web.pool import without_database

SIZE = 16


@cache
def pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(SIZE, thread_name_prefix="job-call", initializer=without_database)
