"""One style sheet on the wire, one file a component in the tree."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from whitenoise.storage import CompressedManifestStaticFilesStorage

SHEET = "css/app.css"
IMPORT = re.compile(r'^@import "([^"]+)" layer\((\w+)\);$', re.MULTILINE)
URL = re.compile(r"\burl\(")


class StaticFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc] # whitenoise has no types
    """Hashed and compressed names, and `app.css` with its imports written in: a browser asks for one sheet, not for forty."""

    def post_process(self, paths: dict[str, tuple[Any, str]], dry_run: bool = False, **options: Any) -> Iterator[Any]:
        if not dry_run and SHEET in paths:
            Path(self.path(SHEET)).write_text(self._written_in(paths))
            paths = {**paths, SHEET: (self, SHEET)}
        yield from super().post_process(paths, dry_run, **options)

    @staticmethod
    def _written_in(paths: dict[str, tuple[Any, str]]) -> str:
        def source(name: str) -> str:
            storage, path = paths[name]
            return Path(storage.path(path)).read_text()

        def layer(found: re.Match[str]) -> str:
            text = source(f"css/{found[1]}")
            if URL.search(text):
                raise ValueError(f"{found[1]} is imported by app.css and may not hold an address: it would point elsewhere.")
            return f"@layer {found[2]} {{\n{text}}}"

        return IMPORT.sub(layer, source(SHEET))
