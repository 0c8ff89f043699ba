"""The environment of every test. A plugin (`-p` in pyproject.toml): pytest-django reads the settings before any conftest."""

import atexit
import fcntl
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp

from cryptography.fernet import Fernet

from dashboard.launch.rules import RULES

ROOT = Path(__file__).resolve().parent.parent
# The first process of a run names the folder and the keys that its workers share.
if "PILOTHOUSE_TEST_RUN" not in os.environ:
    os.environ["PILOTHOUSE_TEST_RUN"] = mkdtemp(prefix="pilothouse-tests-")
    os.environ["VAULT_KEYS"] = Fernet.generate_key().decode()
    atexit.register(shutil.rmtree, os.environ["PILOTHOUSE_TEST_RUN"], ignore_errors=True)
SHARED_DIR = Path(os.environ["PILOTHOUSE_TEST_RUN"])
RUN_DIR = Path(mkdtemp(prefix="worker-", dir=SHARED_DIR))

# Set before Django reads its settings. The developer's own environment must not affect tests; only the database may differ.
for name in RULES.keys() - {"DATABASE_URL"}:
    if name != "VAULT_KEYS":
        os.environ.pop(name, None)
    os.environ.pop(f"{name}_FILE", None)
# Each process of a run would compile everything anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
os.environ["DATA_DIR"] = str(RUN_DIR)
os.environ["SECRET_KEY"] = "tests-only-" + "k" * 50
os.environ["PATTERNS"] = "1"
os.environ["SNAPSHOT_URL"] = (RUN_DIR / "snapshots").as_uri()
(RUN_DIR / "snapshots").mkdir(parents=True, exist_ok=True)
# Tests of deleting are about the service; those of the trash turn it on.
os.environ["TRASH_DAYS"] = "0"
# However busy the machine is, no page is drawn from last known data unless a test asks for it.
os.environ["PAGE_PATIENCE_MS"] = "60000"
# Playwright keeps an event loop in the tests' thread, which Django mistakes for asynchronous code.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
(RUN_DIR / "static").mkdir()


def once_a_run(name: str, make: Callable[[Path], None]) -> Path:
    """Make a folder in the first worker that needs it, while the others wait. All read it; none may change it."""
    folder, part = SHARED_DIR / name, SHARED_DIR / f"{name}.part"
    with (SHARED_DIR / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            part.mkdir(mode=0o700)
            make(part)
            part.rename(folder)
    return folder
