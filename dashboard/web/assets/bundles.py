"""Bundle style sheets and scripts when static files are collected."""

import base64
import hashlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import rjsmin  # type: ignore[import-untyped] # it has no types
from whitenoise.storage import CompressedManifestStaticFilesStorage

IMPORT = re.compile(r'^@import "([^"]+)" ', re.MULTILINE)
# Imports of one layer that follow each other become one block.
IMPORTS = re.compile(r'^@import "[^"]+" layer\((\w+)\);(?:\n@import "[^"]+" layer\(\1\);)*$', re.MULTILINE)
# Bundles contain only includes and comments. A leading slash means a file of an installed package.
INCLUDE = re.compile(r'^// include "([^"]+)"$', re.MULTILINE)
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
AROUND = re.compile(r"\s*([{};,])\s*")
AFTER_COLON = re.compile(r":\s+")
URL = re.compile(r"\burl\(")


class StaticFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc] # whitenoise has no types
    """Static files with hashed names, compressed; imports of sheets and script bundles are inlined."""

    def integrity(self, name: str) -> str:
        """Return the file's digest for subresource integrity."""
        return digest(Path(self.path(self.stored_name(name))))

    def post_process(self, paths: dict[str, tuple[Any, str]], dry_run: bool = False, **options: Any) -> Iterator[Any]:
        ours = [] if dry_run else [name for name in paths if name.startswith(("css/", "js/"))]
        for name in ours:
            Path(self.path(name)).write_text(self._written(paths, name))
        yield from super().post_process({**paths, **{name: (self, name) for name in ours}}, dry_run, **options)

    @staticmethod
    def _written(paths: dict[str, tuple[Any, str]], name: str) -> str:
        def source(name: str) -> str:
            storage, path = paths[name]
            return Path(storage.path(path)).read_text()

        def imported(name: str) -> str:
            text = lean(source(f"css/{name}"))
            if URL.search(text):
                raise ValueError(f"{name} is imported and may not contain url(): relative addresses would break.")
            return text

        def layer(found: re.Match[str]) -> str:
            return f"@layer {found[1]} {{\n{''.join(map(imported, IMPORT.findall(found[0])))}}}"

        if name.startswith("css/"):
            return lean(IMPORTS.sub(layer, source(name)))
        return str(
            rjsmin.jsmin(
                INCLUDE.sub(lambda found: source(found[1][1:] if found[1][0] == "/" else f"js/{found[1]}"), source(name))
            )
        )


def lean(sheet: str) -> str:
    """Strip comments and insignificant white space from a style sheet. Ours have none of these signs inside strings."""
    return AFTER_COLON.sub(":", AROUND.sub(r"\1", COMMENT.sub("", sheet))).replace(";}", "}").strip()


@cache
def digest(file: Path) -> str:
    """Return the SHA-256 for an `integrity` attribute. Collected files never change, so cache it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(file.read_bytes()).digest()).decode()}"
