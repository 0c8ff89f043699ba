from tests.catalog.conftest import shelf
from tests.features.buckets.desk import desk

__all__ = ["desk", "shelf"]
