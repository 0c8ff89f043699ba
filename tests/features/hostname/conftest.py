from tests.features.hostname.desk import desk

__all__ = ["desk"]
