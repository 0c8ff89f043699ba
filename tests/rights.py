"""Write the authorization matrix into CONTRIBUTING.md: `.venv/bin/python -m tests.rights`."""

import os
import re
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import django
from django.urls import URLPattern, URLResolver, get_resolver

CONTRIBUTING = Path(__file__).parents[1] / "CONTRIBUTING.md"
HEADING = "## Authorization matrix"
SECTION = re.compile(rf"{HEADING}\n.*?(?=^## |\Z)", re.DOTALL | re.MULTILINE)
INTRODUCTION = """
`.venv/bin/python -m tests.rights` writes this section from the table of operations, `dashboard/team/rights.py` and the views.
Each role may also do what the roles above it may. The service decides by the person's token as well. Addresses have their
URL names.
"""


def matrix() -> str:
    """Return the section: per role the operations, our own acts, and the addresses that it may use from here on."""
    from dashboard.team.models import Role
    from dashboard.team.rights import LEAST

    lines = [HEADING, INTRODUCTION, "| role | operations | acts of ours | addresses |", "|---|---|---|---|"]
    at = {role: sorted(name for name, least in addresses() if least == role) for role in Role}
    for role in Role:
        acts = [act for act, least in LEAST.items() if least is role]
        operations = " ".join(act for act in acts if act[0].isupper())
        ours = ", ".join(act for act in acts if not act[0].isupper())
        where = "all others" if role is Role.VIEWER else grouped(at[role])
        lines.append(f"| {role.label} | {operations} | {ours} | {where} |")
    return "\n".join([*lines, ""])


def addresses() -> Iterator[tuple[str, str]]:
    """Yield the URL name of each address behind the sign-in with its least role."""
    from dashboard.team.rights import least_at

    return ((name, least_at(view)) for name, view in views())


def views() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the URL name of each address with its view."""

    def walk(patterns: list[URLPattern | URLResolver], space: str) -> Iterator[tuple[str, Callable[..., Any]]]:
        for pattern in patterns:
            if isinstance(pattern, URLResolver):
                yield from walk(pattern.url_patterns, f"{pattern.namespace}:" if pattern.namespace else space)
            else:
                yield f"{space}{pattern.name}", pattern.callback

    return walk(get_resolver().url_patterns, "")


def grouped(names: list[str]) -> str:
    """Shorten names that share a namespace: "secrets: draft new"."""
    pairs = groupby((name.partition(":") for name in names), key=lambda parts: parts[0])
    return "; ".join(f"{space}: {' '.join(name for _, _, name in members)}" for space, members in pairs)


def written() -> str:
    """Return the section as CONTRIBUTING.md has it."""
    found = SECTION.search(CONTRIBUTING.read_text())
    return found[0] if found else ""


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.tool_settings")
    django.setup()
    CONTRIBUTING.write_text(SECTION.sub(lambda _: f"{matrix()}\n", CONTRIBUTING.read_text()))
