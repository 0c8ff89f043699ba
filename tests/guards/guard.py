"""One guard."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Guard:
    """A text of a file, what it is without its guard, and the test that notices the difference."""

    file: str
    sound: str
    broken: str
    test: str

    def __str__(self) -> str:
        return f"{self.file}: {self.sound.strip().splitlines()[0]}"
