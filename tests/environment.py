"""The environment of every test. A plugin (`-p` in pyproject.toml): pytest-django reads the settings before any conftest."""

import atexit
import os
import shutil
from pathlib import Path
from tempfile import mkdtemp

from cryptography.fernet import Fernet

ROOT = Path(__file__).resolve().parent.parent
RUN_DIR = Path(mkdtemp(prefix="pilothouse-tests-"))
atexit.register(shutil.rmtree, RUN_DIR, ignore_errors=True)

# Before Django reads its settings: nothing of the developer's own environment may steer a test.
for name in (
    "MANAGEMENT_URL",
    "STORAGE_URL",
    "STORAGE_PUBLIC_URL",
    "STORAGE_AUTHORIZATION",
    "PUBLIC_URL",
    "EMAIL_URL",
    "SANDBOX_URL",
    "OIDC_ISSUER",
):
    os.environ.pop(name, None)
os.environ["DATA_DIR"] = str(RUN_DIR)
os.environ["SECRET_KEY"] = "tests-only-" + "k" * 50
os.environ["VAULT_KEYS"] = Fernet.generate_key().decode()
os.environ["PATTERNS"] = "1"
(RUN_DIR / "static").mkdir()
