"""Names of cookies. Under https browsers tie `__Host-` to this host: Secure, path `/`, no other host can set it."""

from django.conf import settings


def cookie_name(name: str) -> str:
    return f"__Host-{name}" if settings.HTTPS else f"pilothouse_{name}"
