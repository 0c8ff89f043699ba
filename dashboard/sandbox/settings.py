"""Settings of the sandbox process; `__main__` sets the environment they read.

Environment: SANDBOX_DATA (folder), SANDBOX_AUTHORIZATION (either, header or query), SANDBOX_DNS (host:port of its DNS server),
SANDBOX_DELAY (seconds that slow changes take), SANDBOX_RATE_LIMIT (1: refuse calls above the rate limits), SANDBOX_GENERATION
(of the service: today or document), SANDBOX_LIST_CAP (maximum rows of a listing; 0: as the service), SANDBOX_RACE (1:
simultaneous uploads of one key may all succeed).
"""

import secrets
from os import environ
from pathlib import Path

SANDBOX_DATA = Path(environ.get("SANDBOX_DATA", ".sandbox")).absolute()
SANDBOX_OBJECTS = SANDBOX_DATA / "objects"
SANDBOX_AUTHORIZATION = environ.get("SANDBOX_AUTHORIZATION", "either")
SANDBOX_DNS = environ.get("SANDBOX_DNS", "")
SANDBOX_DELAY = float(environ.get("SANDBOX_DELAY", "3"))
SANDBOX_RATE_LIMIT = environ.get("SANDBOX_RATE_LIMIT", "") == "1"
SANDBOX_GENERATION = environ.get("SANDBOX_GENERATION", "today")
SANDBOX_LIST_CAP = int(environ.get("SANDBOX_LIST_CAP", "0"))
SANDBOX_RACE = environ.get("SANDBOX_RACE", "") == "1"

DEBUG = False
SECRET_KEY = secrets.token_urlsafe(50)
ALLOWED_HOSTS = ["*"]
ROOT_URLCONF = "dashboard.sandbox.urls"
INSTALLED_APPS = ["dashboard.sandbox", "dashboard.sandbox.storage"]
MIDDLEWARE: list[str] = []
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
TIME_ZONE = "UTC"
USE_I18N = False
APPEND_SLASH = False
DATA_UPLOAD_MAX_MEMORY_SIZE = None

DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": SANDBOX_DATA / "sandbox.sqlite3",
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;",
        },
    }
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"stderr": {"class": "logging.StreamHandler"}},
    "loggers": {
        "dashboard.sandbox": {"handlers": ["stderr"], "level": "ERROR", "propagate": False},
        "django": {"handlers": ["stderr"], "level": "CRITICAL", "propagate": False},
    },
}
