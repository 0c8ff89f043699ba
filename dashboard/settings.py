"""Settings, all from the environment. README.md, Configuration, explains each name."""

import gc
import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit
from wsgiref.headers import Headers

import environ
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from dashboard import backends
from dashboard.launch.rules import TRUE, Refusal, check, listed, setting
from dashboard.notifications.addresses import split
from dashboard.web.http.logs import CONFIG


def _refuse_invalid(environ: Mapping[str, str]) -> None:
    try:
        check(environ)
    except Refusal as refusal:
        raise ImproperlyConfigured(str(refusal)) from None


# Fail on invalid settings however these are loaded; `manage.py` and gunicorn print the message.
_refuse_invalid(os.environ)

# Loading makes little garbage, and collecting it takes a sixth of the time. LaunchConfig enables the collector again.
gc.disable()

BASE_DIR = Path(__file__).resolve().parent.parent


def _text(name: str, default: str = "") -> str:
    return setting(os.environ, name) or default


def _names(name: str) -> list[str]:
    return listed(_text(name))


env = environ.FileAwareEnv()

# --- Where things are ---------------------------------------------------------------------------

DATA_DIR = Path(_text("DATA_DIR", str(BASE_DIR / ".data")))

MANAGEMENT_URL = _text("MANAGEMENT_URL").rstrip("/")
STORAGE_URL = _text("STORAGE_URL").rstrip("/")
STORAGE_PUBLIC_URL = _text("STORAGE_PUBLIC_URL").rstrip("/") or STORAGE_URL
STORAGE_AUTHORIZATION = _text("STORAGE_AUTHORIZATION", "auto")
# Set by `manage.py start` for the embedded service: where its spare keys and DNS answers are.
SANDBOX_URL = _text("SANDBOX_URL")
DNS_RESOLVERS = _names("DNS_RESOLVERS")
# Where a worker serves its figures; the web serves its own at /metrics. Empty: neither does.
METRICS_ADDRESS = _text("METRICS_ADDRESS")

PUBLIC_URL = _text("PUBLIC_URL").rstrip("/")
# Set by `manage.py start`: where it listens. Messages link to it while PUBLIC_URL is not set.
START_URL = _text("START_URL")
HTTPS = PUBLIC_URL.startswith("https://")
TRUSTED_PROXIES = int(_text("TRUSTED_PROXIES", "0"))
PUBLIC_HOST = urlsplit(PUBLIC_URL).hostname or ""
ALLOWED_HOSTS = _names("ALLOWED_HOSTS") or ["localhost", "127.0.0.1", "[::1]", *([PUBLIC_HOST] if PUBLIC_HOST else [])]

# Archive and delete activity entries after this many days. 0: never.
ACTIVITY_DAYS = int(_text("ACTIVITY_DAYS", "0"))

# The store of snapshots: file:///… or s3://…; "none": there are no snapshots. Limits in bytes; 0: no limit.
SNAPSHOT_URL = _text("SNAPSHOT_URL", "none")
SNAPSHOT_MAX_BYTES = int(_text("SNAPSHOT_MAX_BYTES", "0"))
SNAPSHOT_MAX_FILE_BYTES = int(_text("SNAPSHOT_MAX_FILE_BYTES", "0"))
# MiB a second that a worker reads at most while it takes snapshots. 0: no limit.
SNAPSHOT_MAX_RATE = int(_text("SNAPSHOT_MAX_RATE", "0"))
# Days for which the store keeps what was deleted. 0: it keeps nothing.
TRASH_DAYS = int(_text("TRASH_DAYS", "30"))

# Lifetime of the presigned link behind an opened share link: long enough for a browser to follow it.
SHARE_LINK_SECONDS = int(_text("SHARE_LINK_SECONDS", "60"))
# What the team allows of new share links and signed links: days until they expire (0: no limit), and a password.
SHARE_MAX_DAYS = int(_text("SHARE_MAX_DAYS", "0"))
SHARE_PASSWORD_REQUIRED = _text("SHARE_PASSWORD_REQUIRED").lower() in TRUE
# The team's name, colour and logo (a file) on the pages behind links.
SHARE_TITLE = _text("SHARE_TITLE")
SHARE_COLOR = _text("SHARE_COLOR")
SHARE_LOGO = _text("SHARE_LOGO")

# --- Keys: from the environment, else from the files that `manage.py start` made in the data folder ---


def _key(name: str) -> str:
    made = DATA_DIR / name.lower()
    if value := _text(name) or (made.read_text().strip() if made.is_file() else ""):
        _refuse_invalid({name: value})
        return value
    raise ImproperlyConfigured(
        f"{name} is not set, and {made} is not there. For a backup, bring back the key that it was used with. "
        "For a new installation, `manage.py start` makes one."
    )


SECRET_KEY = _key("SECRET_KEY")
SECRET_KEY_FALLBACKS = _names("SECRET_KEY_FALLBACKS")
VAULT_KEYS = _key("VAULT_KEYS").replace(",", " ").split()

# --- Django -------------------------------------------------------------------------------------

DEBUG = False
# Show every component at /patterns/, for those who work on Pilothouse.
PATTERNS = _text("PATTERNS").lower() in TRUE
ROOT_URLCONF = "dashboard.urls"
WSGI_APPLICATION = "dashboard.wsgi.application"
AUTH_USER_MODEL = "team.Person"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

FEATURES = (  # noqa: SIM905 - a list of twenty would be twenty lines
    "home account access projects secrets types encryption functions hostname network buckets objects bulk search palette sharing"
    " file_requests snapshots trial patterns"
).split()
INSTALLED_APPS = [
    "dashboard.web",
    "dashboard.vault",
    "dashboard.journal",
    "dashboard.notifications",
    "dashboard.team",
    "dashboard.labels",
    "dashboard.tokens",
    "dashboard.reviews",
    "dashboard.jobs",
    "dashboard.facts",
    "dashboard.catalog",
    "dashboard.links",
    *(f"dashboard.features.{name}" for name in FEATURES),
    "dashboard.launch",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.forms",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "dashboard.team.apps.SessionsConfig",
    "csp",
    "django_htmx",
    "lucide",
]

MIDDLEWARE = [
    # Before all that is about pages: what policies would add to a style sheet or script is more than half of its headers.
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "dashboard.web.http.metrics.Requests",
    # Next, so that their headers are added to every other answer.
    "dashboard.web.http.headers.Policy",
    "dashboard.web.failures.request_log.RequestLog",
    "dashboard.web.http.compression.Compression",
    "django.middleware.security.SecurityMiddleware",
    "dashboard.web.http.headers.ContentPolicy",
    "dashboard.launch.health.HealthMiddleware",
    "dashboard.web.process.database.Streams",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "dashboard.team.controls.Controls",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "dashboard.web.pages.errors.InterfaceErrors",
    "allauth.account.middleware.AccountMiddleware",
    "dashboard.team.user_sessions.Seen",
    "dashboard.team.locked.AccountLocked",
    "dashboard.team.requirement.SecondFactorRequired",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    ["dashboard.web.assets.template_loader.Lean", "django.template.loaders.app_directories.Loader"],
                ),
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "dashboard.web.pages.frame.frame",
            ],
        },
    },
]

# Threads of one web process; transfers may take half of them.
WEB_THREADS = int(_text("WEB_THREADS", "32"))

# How long a page waits for the service before it shows last known data.
PAGE_PATIENCE_MS = int(_text("PAGE_PATIENCE_MS", "700"))

# --- Database, cache, sessions --------------------------------------------------------------------

DATABASES = {"default": backends.database(env, DATA_DIR)}
CACHES = {"default": {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "cache"}}

SESSION_ENGINE = "dashboard.team.sessions"
SESSION_COOKIE_AGE = 14 * 24 * 3600
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = HTTPS
SESSION_COOKIE_NAME = "__Host-session" if HTTPS else "pilothouse_session"
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SECURE = HTTPS
CSRF_COOKIE_NAME = "__Host-csrf" if HTTPS else "pilothouse_csrf"
DEVICE_COOKIE_NAME = "__Host-device" if HTTPS else "pilothouse_device"
CSRF_FAILURE_VIEW = "dashboard.web.pages.errors.csrf_failed"
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL] if PUBLIC_URL else []
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"

# --- Signing in -----------------------------------------------------------------------------------

AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.ScryptPasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "dashboard.team.passwords.StrongPassword"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_LOGOUT_REDIRECT_URL = "/account/login/"
ACCOUNT_ADAPTER = "dashboard.team.adapter.Adapter"
ACCOUNT_FORMS = {
    "login": "dashboard.team.forms.LoginForm",
    "change_password": "dashboard.team.forms.ChangePasswordForm",
    "reset_password": "dashboard.team.forms.ResetPasswordForm",
    "reset_password_from_key": "dashboard.team.forms.SetPasswordForm",
}
ACCOUNT_LOGIN_ON_PASSWORD_RESET = True
ACCOUNT_PASSWORD_RESET_TOKEN_GENERATOR = "dashboard.team.links.LinkKeys"  # noqa: S105 - a class, no secret
# Counted by dashboard.team.attempts in rows; allauth's other limits use the cache, which can be flooded.
ACCOUNT_RATE_LIMITS = {"login": None, "login_failed": None, "reset_password": None, "reauthenticate": None}
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""

# Roles that may not work without a second factor.
MFA_REQUIRED = _names("MFA_REQUIRED")
MFA_ADAPTER = "dashboard.team.mfa.Adapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes", "webauthn"]
MFA_FORMS = {
    "authenticate": "dashboard.team.forms.SecondFactorForm",
    "authenticate_webauthn": "dashboard.team.forms.SecondPasskeyForm",
    "login_webauthn": "dashboard.team.forms.PasskeySignInForm",
}
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_WEBAUTHN_USER_VERIFICATION = "required"
MFA_TOTP_TOLERANCE = 1
# A passkey can't be guessed, and a team shares one address.
MFA_RATE_LIMITS = {"webauthn_login": None}

# The team's OpenID Connect provider; empty: none.
OIDC_ISSUER = _text("OIDC_ISSUER").rstrip("/")
OIDC_CLIENT_ID = _text("OIDC_CLIENT_ID")
OIDC_CLIENT_SECRET = _text("OIDC_CLIENT_SECRET")
OIDC_LABEL = _text("OIDC_LABEL") or "single sign-on"
SOCIALACCOUNT_ADAPTER = "dashboard.team.single_sign_on.Adapter"

vars().update(backends.mail(env, PUBLIC_HOST))

# The team's channels; the addresses contain secrets.
NOTIFY_URLS = split(_text("NOTIFY_URLS"))

# --- Security headers -----------------------------------------------------------------------------

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "media-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
if HTTPS:
    SECURE_SSL_REDIRECT = TRUSTED_PROXIES > 0
    SECURE_SSL_HOST = urlsplit(PUBLIC_URL).netloc
    SECURE_REDIRECT_EXEMPT = ["^healthz$", "^readyz$", "^metrics(/database)?$"]
    SECURE_HSTS_SECONDS = 2 * 365 * 24 * 3600
    SECURE_HSTS_INCLUDE_SUBDOMAINS = _text("HSTS") in ("subdomains", "preload")
    SECURE_HSTS_PRELOAD = _text("HSTS") == "preload"
    # Other hosts of the domain may not use TLS, so the operator decides on these.
    SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
    if TRUSTED_PROXIES:
        SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

# --- Static files, language, time ---------------------------------------------------------------


def _guard_static_file(headers: Headers, _path: str, _url: str) -> None:
    headers["X-Content-Type-Options"] = "nosniff"
    headers["Cross-Origin-Resource-Policy"] = "same-origin"


STATIC_URL = "/static/"
STATIC_ROOT = Path(_text("STATIC_ROOT", str(DATA_DIR / "static")))
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "dashboard.web.assets.bundles.StaticFiles"},
}
WHITENOISE_KEEP_ONLY_HASHED_FILES = True
WHITENOISE_ALLOW_ALL_ORIGINS = False
WHITENOISE_ADD_HEADERS_FUNCTION = _guard_static_file
FORM_RENDERER = "dashboard.web.input.forms.Renderer"
FILE_UPLOAD_HANDLERS = [
    "dashboard.web.input.upload_handlers.Bounded",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]

LANGUAGE_CODE = "en"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"

# --- Logs -------------------------------------------------------------------------------------------

LOGGING = CONFIG
# Log every request, not only those that failed or were slow.
ACCESS_LOG = _text("ACCESS_LOG").lower() in TRUE
# A selection has a field per row of a list, and a list has up to 2,000 rows.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 10_000
