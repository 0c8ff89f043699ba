"""Raw colours live in one file, and what is written in them can be read."""

import re
from pathlib import Path

import pytest

from tests.house.colours import contrast, linear_srgb, themes

STATIC = Path(__file__).resolve().parents[2] / "static"
TEMPLATES = STATIC.parent / "templates"

RAW = re.compile(
    r"#[0-9a-fA-F]{3,8}\b|\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color|color-mix|light-dark)\("
    r"|:[^;{}]*(?<![\w-])(?:white|black|red|green|blue|gr[ae]y|silver|orange|yellow|purple|navy|teal|crimson|gold)(?![\w-])",
)

LABELS = ("red", "orange", "yellow", "green", "teal", "blue", "violet", "pink")
STATES = ("good", "waiting", "attention", "danger")
TONES = "|".join((*STATES, "neutral"))
# Two meanings under one word: a link reached its date, a credential can't be used; a value isn't known, an outcome isn't.
TWO_MEANINGS = {"expired", "unknown"}
TEXT = [
    *(("--ink", ground) for ground in ("--paper", "--rail", "--raised", "--hover", "--sunken", "--accent-tint")),
    *(("--ink", f"--{state}-tint") for state in STATES),
    *(("--ink-quiet", ground) for ground in ("--paper", "--rail", "--raised", "--hover", "--sunken", "--accent-tint")),
    *(("--accent-ink", ground) for ground in ("--paper", "--rail", "--raised", "--hover", "--accent-tint")),
    *((f"--{state}", ground) for state in STATES for ground in ("--paper", "--raised", "--sunken", f"--{state}-tint")),
    *(("--on-solid", ground) for ground in ("--accent", "--accent-more", "--danger-solid", "--danger-solid-more")),
    ("--paper", "--ink"),
]
SIGNS = [
    ("--edge", "--paper"),
    ("--edge", "--raised"),
    ("--accent", "--paper"),
    ("--accent", "--raised"),
    ("--raised", "--accent"),
    *((f"--label-{name}", ground) for name in LABELS for ground in ("--paper", "--raised")),
]


def sheets() -> list[Path]:
    return sorted(path for path in STATIC.rglob("*.css") if path.name != "tokens.css")


def test_raw_colours_stand_only_in_the_tokens() -> None:
    found = {sheet: RAW.findall(re.sub(r"/\*.*?\*/", "", sheet.read_text(), flags=re.DOTALL)) for sheet in sheets()}
    assert {str(sheet.relative_to(STATIC)): colours for sheet, colours in found.items() if colours} == {}


def test_a_word_has_one_hue_everywhere() -> None:
    """As templates write it, and as Python hands it to them."""
    hues: dict[str, set[str]] = {}
    patterns = {
        rf'\{{% status "({TONES})" "([^"]+)"': TEMPLATES.rglob("*.html"),
        rf"badge--({TONES})\">(?:\{{% icon [^%]*%\}})?([^<{{]+)<": TEMPLATES.rglob("*.html"),
        rf'"({TONES})", "([A-Z][^"]*)"': (STATIC.parent / "dashboard").rglob("*.py"),
        rf'"(?P<word>[A-Z][^"]*)", (?:tone=)?"(?P<tone>{TONES})"': (STATIC.parent / "dashboard").rglob("*.py"),
    }
    for pattern, files in patterns.items():
        for found in (found for file in files for found in re.finditer(pattern, file.read_text())):
            tone, word = (found["tone"], found["word"]) if "word" in found.groupdict() else found.groups()
            hues.setdefault(word.strip().lower(), set()).add(tone)
    assert hues["public"] == {"attention"}
    assert {word: tones for word, tones in hues.items() if len(tones) > 1 and word not in TWO_MEANINGS} == {}


def test_scripts_set_no_colours() -> None:
    for script in STATIC.glob("js/*.js"):
        assert not re.search(r"oklch|rgba?\(|hsla?\(", script.read_text()), script.name


def too_close(theme: str, pairs: list[tuple[str, str]], least: float) -> dict[str, float]:
    """The contrast of every pair of tokens that has less than `least` of it."""
    colours = themes()[theme]
    found = {f"{text} on {ground}": contrast(colours[text], colours[ground]) for text, ground in pairs}
    return {pair: measured for pair, measured in found.items() if measured < least}


@pytest.mark.parametrize("theme", themes())
def test_text_can_be_read(theme: str) -> None:
    assert too_close(theme, TEXT, 4.5) == {}


@pytest.mark.parametrize("theme", themes())
def test_controls_can_be_seen(theme: str) -> None:
    assert too_close(theme, SIGNS, 3) == {}


def test_more_contrast_is_more() -> None:
    chosen = themes()
    for name in ("light", "dark"):
        usual, more = chosen[name], chosen[f"{name}, more contrast"]
        for text in ("--ink", "--ink-quiet", "--accent-ink", "--danger"):
            assert contrast(more[text], more["--paper"]) >= max(7.0, contrast(usual[text], usual["--paper"]))


def test_the_meter_itself_is_right() -> None:
    white, black, red = (1.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.62796, 0.25768, 29.234)
    assert contrast(white, black) == pytest.approx(21, abs=0.01)
    assert linear_srgb(red) == pytest.approx((1, 0, 0), abs=0.001)
    assert contrast(red, white) == pytest.approx(4.0, abs=0.01)
