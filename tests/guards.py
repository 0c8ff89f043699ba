"""Faults of a line or two in what keeps, refuses, locks, hides or asks first, each with the test that notices it.

`python -m tests.guards` puts each into a copy of the repository: the sound text stands in its file exactly once, the file still
loads, and the test fails by an assertion. That it passes without the fault is seen by the run of all tests. Words after the
command limit the run to guards that hold one of them.
"""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COPIED = ("dashboard", "static", "templates", "tests", "manage.py", "pyproject.toml")
OPTIONS = ("-q", "-x", "-rfE", "--exhaustive", "-p", "no:randomly", "-p", "no:cacheprovider", "-p", "no:xdist")
FAILED = re.compile(r"^FAILED \S.* - (AssertionError|assert |Failed: DID NOT RAISE)", re.MULTILINE)
