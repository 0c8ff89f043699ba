"""Static files under their own names, for tests that collect nothing."""

from pathlib import Path

from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import StaticFilesStorage

from dashboard.web.assets.bundles import digest


class Uncollected(StaticFilesStorage):
    """Every file under its own name, with the digest of its source."""

    def integrity(self, name: str) -> str:
        found = finders.find(name)
        assert isinstance(found, str), name
        return digest(Path(found))
