"""The operations as the interface document has them, and the rights that we expect, written by hand."""

import tomllib
from pathlib import Path
from typing import Any

ROWS: dict[str, dict[str, Any]] = {
    row["id"]: row for row in tomllib.loads((Path(__file__).parent / "operations.toml").read_text("utf-8"))["operation"]
}
