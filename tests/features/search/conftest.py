"""A crawled bucket, and a person who searches it."""

from tests.catalog.conftest import shelf

__all__ = ["shelf"]
