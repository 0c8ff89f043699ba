"""The table of ASVS in CONTRIBUTING.md covers level 1, and names tests that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = (ROOT / "CONTRIBUTING.md").read_text().partition("## ASVS 5.0, level 1")[2].partition("\n## ")[0]

# The requirements of level 1, by section.
LEVEL_1 = {
    "1.2": [1, 2, 3, 4, 5], "1.3": [1, 2], "1.5": [1], "2.1": [1], "2.2": [1, 2], "2.3": [1], "3.2": [1, 2], "3.3": [1],
    "3.4": [1, 2], "3.5": [1, 2, 3], "4.1": [1], "4.4": [1], "5.2": [1, 2], "5.3": [1, 2], "6.1": [1],
    "6.2": [1, 2, 3, 4, 5, 6, 7, 8], "6.3": [1, 2], "6.4": [1, 2], "7.2": [1, 2, 3, 4], "7.4": [1, 2], "8.1": [1], "8.2": [1, 2],
    "8.3": [1], "9.1": [1, 2, 3], "9.2": [1], "10.4": [1, 2, 3, 4, 5], "11.3": [1, 2], "11.4": [1], "12.1": [1], "12.2": [1, 2],
    "13.4": [1], "14.2": [1], "14.3": [1], "15.1": [1], "15.2": [1], "15.3": [1],
}  # fmt: skip


def rows() -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in TABLE.splitlines() if re.match(r"\| \d", line)]


def requirements() -> list[str]:
    found = []
    for requirement, *_ in rows():
        numbers = re.findall(r"\d+\.\d+\.\d+", requirement)
        if through := re.match(r"([\d.]+)\.(\d+) to [\d.]+\.(\d+) ", requirement):
            numbers = [f"{through[1]}.{number}" for number in range(int(through[2]), int(through[3]) + 1)]
        found += numbers
    return found


def test_each_requirement_of_level_1_has_one_row() -> None:
    wanted = {f"{section}.{number}" for section, numbers in LEVEL_1.items() for number in numbers}
    assert len(wanted) == 70
    assert sorted(requirements()) == sorted(wanted)


def test_each_row_names_tests_that_exist() -> None:
    written = set(
        re.findall(r"^ *def (test_\w+)", "\n".join(path.read_text() for path in (ROOT / "tests").rglob("*.py")), re.MULTILINE)
    )
    for requirement, where, tests in rows():
        named = re.findall(r"`(test_\w+)`", tests)
        assert named or where.startswith("\N{EN DASH}") or requirement.startswith("15.1.1"), requirement
        assert set(named) <= written, requirement


def test_the_image_holds_nothing_of_git() -> None:
    """Only what is named gets in."""
    assert (ROOT / ".dockerignore").read_text().splitlines()[0] == "*"
    copied = [
        word
        for line in re.findall(r"^COPY (?!--from)(.*) \S+$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
        for word in line.split()
    ]
    assert sorted(copied) == ["dashboard", "manage.py", "requirements.txt", "static", "templates"]
