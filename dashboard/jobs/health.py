"""`python -m dashboard.jobs.health`: whether this container's worker is alive, for the health check of compose.yaml.

Standard library only, as it runs every few seconds: the worker's heartbeat touches a file in the data folder.
"""

import os
import sys
import time
from pathlib import Path

FILE = "worker-heartbeat"
SEEN_WITHIN_SECONDS = 60.0


def main() -> int:
    """Return the exit status: 0 if the worker was seen within a minute."""
    folder = Path(os.environ.get("DATA_DIR") or ".data")
    try:
        age = time.time() - (folder / FILE).stat().st_mtime
    except OSError:
        sys.stderr.write("The worker was never seen.\n")
        return 1
    if age > SEEN_WITHIN_SECONDS:
        sys.stderr.write(f"The worker was last seen {age:.0f} s ago.\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
