"""A crawled bucket, and somebody who searches it."""

from tests.catalog.conftest import shelf

__all__ = ["shelf"]
