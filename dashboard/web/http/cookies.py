"""Names of cookies. Under https, the prefix `__Host-` ties them to this host: Secure, path `/`, not set by other hosts."""

from django.conf import settings


def cookie_name(name: str) -> str:
    return f"__Host-{name}" if settings.HTTPS else f"pilothouse_{name}"
