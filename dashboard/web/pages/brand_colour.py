"""The team's colour and logo on public pages. Standard library only: `start` checks settings without Django."""

import re

LOGO_MAX_BYTES = 40_000
COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
CONTRAST_MIN = 4.5
# The worst backgrounds of our style sheets: the darkest one with dark text, the lightest one with light text.
_LIGHT_GROUND = (0.91, 0.92, 0.94)
_DARK_GROUND = (0.15, 0.17, 0.2)
_BLACK, _WHITE = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
_STEPS = 40

Colour = tuple[float, float, float]


def logo_type(data: bytes) -> str:
    """Return the media type of a logo by its first bytes; "" if we don't show that type."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "image/webp"
    return "image/svg+xml" if b"<svg" in data[:1024] else ""


def sheet(colour: str) -> str:
    """Return a style sheet with this accent, darkened on light pages and lightened on dark ones until it is readable."""
    chosen = read(colour)
    light, dark = _readable(chosen, _LIGHT_GROUND, _BLACK), _readable(chosen, _DARK_GROUND, _WHITE)
    more = f"light-dark({_text(_mix(light, _BLACK, 0.2))}, {_text(_mix(dark, _WHITE, 0.2))})"
    accent = f"light-dark({_text(light)}, {_text(dark)})"
    roles = {
        "brand": colour,
        "accent": accent,
        "accent-more": more,
        "accent-ink": accent,
        "accent-tint": "var(--hover)",
        "accent-line": "var(--line-strong)",
    }
    return ":root {\n" + "".join(f"  --{name}: {value};\n" for name, value in roles.items()) + "}\n"


def contrast(one: Colour, other: Colour) -> float:
    """Return the contrast ratio of WCAG, 1 to 21."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _readable(colour: Colour, ground: Colour, end: Colour) -> Colour:
    """Mix with black or white until the contrast is high enough."""
    mixed = (_mix(colour, end, step / _STEPS) for step in range(_STEPS + 1))
    return next((one for one in mixed if contrast(one, ground) >= CONTRAST_MIN), end)


def _luminance(colour: Colour) -> float:
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _mix(colour: Colour, end: Colour, share: float) -> Colour:
    red, green, blue = (part + (last - part) * share for part, last in zip(colour, end, strict=True))
    return red, green, blue


def read(colour: str) -> Colour:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red, green, blue


def _text(colour: Colour) -> str:
    return "#" + "".join(f"{round(part * 255):02x}" for part in colour)
