from tests.features.service import as_keeper, calls, faults
from tests.people import ada, as_ada, as_owner, management_token, owner, ref, service, storage_token, visitor

__all__ = [
    "ada",
    "as_ada",
    "as_keeper",
    "as_owner",
    "calls",
    "faults",
    "management_token",
    "owner",
    "ref",
    "service",
    "storage_token",
    "visitor",
]
