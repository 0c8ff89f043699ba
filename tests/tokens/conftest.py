from tests.people import ada, as_ada, as_owner, management_token, owner, ref, service, storage_token, visitor

__all__ = ["ada", "as_ada", "as_owner", "management_token", "owner", "ref", "service", "storage_token", "visitor"]
