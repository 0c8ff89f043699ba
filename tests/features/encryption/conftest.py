from tests.features.encryption.desk import desk

__all__ = ["desk"]
