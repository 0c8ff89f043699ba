from tests.people import ada, owner, service

__all__ = ["ada", "owner", "service"]
