"""Functions in all three states: one bundle, the others as source text."""

import hashlib
from datetime import UTC, datetime
from pathlib import Path

from dashboard.sandbox.models import Function
from dashboard.sandbox.seed.projects import LAB, PORTFOLIO, STAGING, TRACKING

SOURCES = Path(__file__).with_name("sources")

# project, slug, name, status, version, made on, changed on, verify_jwt, import_map, file ("": a bundle)
FUNCTIONS = [
    (TRACKING, "track-parcel", "Track a parcel", "ACTIVE", 14, (2023, 4, 2), (2026, 10, 30), False, False, "track-parcel.ts"),
    (TRACKING, "print-label", "Print a label", "ACTIVE", 3, (2024, 2, 19), (2025, 8, 7), True, True, ""),
    (
        TRACKING,
        "notify-recipient",
        "Notify the recipient",
        "THROTTLED",
        22,
        (2023, 6, 22),
        (2026, 11, 3),
        True,
        False,
        "notify-recipient.ts",
    ),
    (
        TRACKING,
        "legacy_webhook",
        "Webhook of the old shop",
        "REMOVED",
        6,
        (2023, 3, 20),
        (2024, 12, 1),
        False,
        False,
        "contact-form.ts",
    ),
    (STAGING, "track-parcel", "Track a parcel", "ACTIVE", 31, (2023, 4, 1), (2026, 11, 12), False, False, "track-parcel.ts"),
    (PORTFOLIO, "contact-form", "contact-form", "ACTIVE", 2, (2024, 1, 23), (2024, 3, 4), False, False, "contact-form.ts"),
    (LAB, "resize", "resize", "REMOVED", 1, (2023, 9, 6), (2023, 9, 6), True, True, ""),
]


def plant_functions() -> None:
    Function.objects.bulk_create(
        Function(
            project_id=ref,
            slug=slug,
            name=name,
            status=status,
            version=version,
            created_at=milliseconds(made),
            updated_at=milliseconds(changed),
            verify_jwt=verify_jwt,
            import_map=import_map,
            body=(SOURCES / file).read_bytes() if file else bundle(slug),
        )
        for ref, slug, name, status, version, made, changed, verify_jwt, import_map, file in FUNCTIONS
    )


def milliseconds(day: tuple[int, int, int]) -> int:
    return int(datetime(*day, 8, 37, 5, tzinfo=UTC).timestamp()) * 1000 + 152


def bundle(slug: str) -> bytes:
    """Return bytes with a bundle's signature and a realistic size."""
    noise = b"".join(hashlib.sha256(f"{slug}{number}".encode()).digest() for number in range(400))
    return b"ESZIP2.3" + len(noise).to_bytes(4, "big") + noise
