from tests.features.functions.desk import after_a_change, desk
from tests.features.functions.strange import strange_service
from tests.features.service import as_keeper, calls, faults
from tests.people import ada, as_ada, as_owner, management_token, owner, ref, service, storage_token, visitor

__all__ = [
    "ada",
    "after_a_change",
    "as_ada",
    "as_keeper",
    "as_owner",
    "calls",
    "desk",
    "faults",
    "management_token",
    "owner",
    "ref",
    "service",
    "storage_token",
    "strange_service",
    "visitor",
]
