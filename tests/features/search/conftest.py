"""A crawled bucket, and somebody who searches it."""

from tests.index.conftest import shelf

__all__ = ["shelf"]
