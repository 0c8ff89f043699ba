"""A crawled bucket, and somebody who searches it."""

from tests.features.service import calls, faults
from tests.index.conftest import shelf
from tests.people import ada, as_ada, as_owner, management_token, owner, ref, service, storage_token, visitor

__all__ = [
    "ada",
    "as_ada",
    "as_owner",
    "calls",
    "faults",
    "management_token",
    "owner",
    "ref",
    "service",
    "shelf",
    "storage_token",
    "visitor",
]
