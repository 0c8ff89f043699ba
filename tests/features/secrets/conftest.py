from tests.features.secrets.desk import desk
from tests.features.secrets.drafting import draft
from tests.features.secrets.people import as_ada_with_token
from tests.features.service import as_keeper, calls, faults
from tests.people import ada, as_ada, as_owner, management_token, owner, ref, service, storage_token, visitor

__all__ = [
    "ada",
    "as_ada",
    "as_ada_with_token",
    "as_keeper",
    "as_owner",
    "calls",
    "desk",
    "draft",
    "faults",
    "management_token",
    "owner",
    "ref",
    "service",
    "storage_token",
    "visitor",
]
