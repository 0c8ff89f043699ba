"""`start` waits for its preparation as long as it runs, and says so."""

import subprocess
import sys

from tests.launch.command import ROOT, environment

SLOW = """
import sys
from dashboard.launch import start, supervisor
start.READY_SECONDS, supervisor.LATE_SECONDS = 0.2, 0.1
with supervisor.Crew() as crew:
    code = "import time; time.sleep(1); print('{}')"
    part = supervisor.Part("preparation", [sys.executable, "-c", code], {})
    print(start._answer(crew, crew.begin(part), late=start._say_preparing))
"""


def test_a_long_migration_is_not_cut_and_start_says_what_it_does() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SLOW], cwd=ROOT, env=environment({}), capture_output=True, text=True, check=False, timeout=60
    )
    said = "pilothouse: Preparing the database and the static files. After an upgrade this may take minutes.\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, "{}\n", said)
