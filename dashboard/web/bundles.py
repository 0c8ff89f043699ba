"""One style sheet and one script on the wire, one file a component or behaviour in the tree."""

import base64
import hashlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import rjsmin  # type: ignore[import-untyped] # it has no types
from whitenoise.storage import CompressedManifestStaticFilesStorage

SHEET = "css/app.css"
IMPORT = re.compile(r'^@import "([^"]+)" layer\((\w+)\);$', re.MULTILINE)
# A script of scripts holds nothing but such lines and words about them; with a slash before it, a name is a package's.
INCLUDE = re.compile(r'^// include "([^"]+)"$', re.MULTILINE)
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
INDENT = re.compile(r"\s*\n\s*")
URL = re.compile(r"\burl\(")


class StaticFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc] # whitenoise has no types
    """Hashed and compressed names, scripts without comments; what `app.css` and a script of scripts name is written in."""

    def integrity(self, name: str) -> str:
        """The digest that a browser compares with the file before it uses it (subresource integrity)."""
        return digest(Path(self.path(self.stored_name(name))))

    def post_process(self, paths: dict[str, tuple[Any, str]], dry_run: bool = False, **options: Any) -> Iterator[Any]:
        ours = [] if dry_run else [name for name in paths if name == SHEET or name.startswith("js/")]
        for name in ours:
            Path(self.path(name)).write_text(self._written(paths, name))
        yield from super().post_process({**paths, **{name: (self, name) for name in ours}}, dry_run, **options)

    @staticmethod
    def _written(paths: dict[str, tuple[Any, str]], name: str) -> str:
        def source(name: str) -> str:
            storage, path = paths[name]
            return Path(storage.path(path)).read_text()

        def layer(found: re.Match[str]) -> str:
            text = lean(source(f"css/{found[1]}"))
            if URL.search(text):
                raise ValueError(f"{found[1]} is imported by app.css and may not hold an address: it would point elsewhere.")
            return f"@layer {found[2]} {{\n{text}}}"

        if name == SHEET:
            return lean(IMPORT.sub(layer, source(name)))
        return str(
            rjsmin.jsmin(
                INCLUDE.sub(lambda found: source(found[1][1:] if found[1][0] == "/" else f"js/{found[1]}"), source(name))
            )
        )


def lean(sheet: str) -> str:
    """The same rules without comments and indents."""
    return INDENT.sub("\n", COMMENT.sub("", sheet)).lstrip()


@cache
def digest(file: Path) -> str:
    """SHA-384 in the form of an `integrity` attribute. A file that was collected has its content in its name."""
    return f"sha384-{base64.b64encode(hashlib.sha384(file.read_bytes()).digest()).decode()}"
