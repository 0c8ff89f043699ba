"""One guard."""

from dataclasses import dataclass

# What a failure by an assertion begins with.
BY_ASSERTION = ("AssertionError", "assert ", "Failed: DID NOT RAISE")
# The test that starts and loads what all forks use.
BEGIN = "tests/guards/in_place.py::test_begin"


@dataclass(frozen=True, slots=True)
class Guard:
    """A text in a file, its form without the guard, and the test that detects the difference."""

    file: str
    sound: str
    broken: str
    test: str

    def __str__(self) -> str:
        return f"{self.file}: {self.sound.strip().splitlines()[0]}"
