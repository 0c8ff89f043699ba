"""One guard."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Guard:
    """A text in a file, its form without the guard, and the test that detects the difference."""

    file: str
    sound: str
    broken: str
    test: str

    def __str__(self) -> str:
        return f"{self.file}: {self.sound.strip().splitlines()[0]}"
