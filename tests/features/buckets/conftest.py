from tests.features.buckets.desk import desk

__all__ = ["desk"]
