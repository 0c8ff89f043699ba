"""Settings for tools in a fresh clone (mypy, `manage.py check`, `makemigrations`): keys of no use, and no database file.

`dashboard.settings` itself refuses to load without keys.
"""

import os

from cryptography.fernet import Fernet

os.environ.setdefault("SECRET_KEY", "tools-only-" + "k" * 50)
os.environ.setdefault("VAULT_KEYS", Fernet.generate_key().decode())

from dashboard.settings import *  # noqa: F403 - these settings are those, once the keys are there

DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
