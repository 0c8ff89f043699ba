"""However many objects a folder holds, a page of it is one range of one index."""

import os
import subprocess
import sys
from pathlib import Path

from tests.environment import ROOT


def test_no_page_scans_or_sorts_what_it_does_not_show(tmp_path: Path) -> None:
    # SQLite chooses its plans by the indexes alone here; how many rows there are makes no difference.
    done = subprocess.run(
        [sys.executable, "-m", "tests.sandbox.storage.crowd", str(tmp_path), "3000", "--plans"],
        cwd=ROOT,
        env=os.environ,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    plans = done.stdout.splitlines()
    # What a page's own query found is read once more, to be told as one text.
    found = [line for line in plans if not line.endswith(("CO-ROUTINE (subquery-1)", "SCAN (subquery-1)"))]
    assert len(found) > 60
    assert [line for line in found if ": SEARCH " not in line] == []
