"""The tokens as numbers: OKLCH to linear sRGB to relative luminance to contrast."""

import math
import re
from pathlib import Path

TOKENS = Path(__file__).resolve().parents[2] / "static" / "css" / "tokens.css"

Colour = tuple[float, float, float]
Pair = tuple[Colour, Colour]

_OKLCH = re.compile(r"oklch\(([\d.]+) ([\d.]+) ([\d.]+)(?: / [\d.]+)?\)")
_COLOUR = re.compile(r"(--[\w-]+): light-dark\((oklch\([^)]*\)), (oklch\([^)]*\))\);")
_SAME = re.compile(r"(--[\w-]+): var\((--[\w-]+)\);")


def themes() -> dict[str, dict[str, Colour]]:
    """Return the colours by what they are for, for each theme: light, dark, and both with more contrast."""
    text = TOKENS.read_text()
    usual, _, more = text.partition("@media (prefers-contrast: more)")
    colours, stronger = _colours(usual), _colours(more)
    same = dict(_SAME.findall(usual))
    return {
        name: {role: chosen[same.get(role, role)][side] for role in (*colours, *same)}
        for name, chosen, side in (
            ("light", colours, 0),
            ("dark", colours, 1),
            ("light, more contrast", {**colours, **stronger}, 0),
            ("dark, more contrast", {**colours, **stronger}, 1),
        )
    }


def contrast(one: Colour, other: Colour) -> float:
    """Return the contrast ratio, 1 to 21, as WCAG 2 defines it."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: Colour) -> float:
    red, green, blue = linear_srgb(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def linear_srgb(colour: Colour) -> Colour:
    """Convert a colour, clipped to the screen's gamut. The matrices are those of the CSS Color 4 text."""
    lightness, chroma, hue = colour
    a, b = chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue))
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    channels = (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )
    red, green, blue = (min(1.0, max(0.0, channel)) for channel in channels)
    return red, green, blue


def _colours(text: str) -> dict[str, Pair]:
    return {name: (_colour(light), _colour(dark)) for name, light, dark in _COLOUR.findall(text)}


def _colour(text: str) -> Colour:
    found = _OKLCH.fullmatch(text)
    assert found, f"{text} is not written as oklch(l c h)"
    lightness, chroma, hue = map(float, found.groups())
    return lightness, chroma, hue
