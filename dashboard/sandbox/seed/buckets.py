"""Buckets with files from `files/` and generated pictures."""

import mimetypes
from collections.abc import Iterator
from pathlib import Path

from dashboard.sandbox.models import Project
from dashboard.sandbox.seed.pictures import parcel, pdf, png, sunrise, weave
from dashboard.sandbox.seed.projects import LAB, PORTFOLIO, STAGING, TRACKING, UPLOADS
from dashboard.sandbox.storage import files

FILES = Path(__file__).with_name("files")
FOLDERS = {TRACKING: "tracking", PORTFOLIO: "portfolio", UPLOADS: "uploads"}
TYPES = {".md": "text/markdown", ".csv": "text/csv", ".txt": "text/plain;charset=UTF-8", ".svg": "image/svg+xml"}
MB = 1_000_000

# project, bucket, public, size limit, types allowed
BUCKETS: list[tuple[str, str, bool, int | None, list[str] | None]] = [
    (TRACKING, "public-assets", True, None, None),
    (TRACKING, "handbook", False, None, None),
    (TRACKING, "labels", False, None, None),
    (TRACKING, "delivery-photos", False, 5 * MB, ["image/png", "image/jpeg"]),
    (STAGING, "labels", False, None, None),
    (PORTFOLIO, "portfolio-images", True, 20 * MB, ["image/*"]),
    (PORTFOLIO, "client-drafts", False, None, None),
    (UPLOADS, "incoming", False, 2 * MB, ["application/pdf", "image/png", "text/plain"]),
    (LAB, "scratch", False, None, None),
]

Drawn = tuple[str, str, str, bytes]


def plant_buckets() -> None:
    projects = Project.objects.in_bulk()
    for ref, name, public, limit, types in BUCKETS:
        files.create_bucket(projects[ref], name, public=public, file_size_limit=limit, allowed_mime_types=types)
    for ref, bucket, key, data in (*_written(), *_drawn()):
        lasting = "max-age=3600" if bucket in {"public-assets", "portfolio-images"} else "no-cache"
        files.put(projects[ref], bucket, key, data, _type(key), cache_control=lasting)


def _type(key: str) -> str:
    return TYPES.get(Path(key).suffix) or mimetypes.guess_type(key)[0] or "application/octet-stream"


def _written() -> Iterator[Drawn]:
    for ref, folder in FOLDERS.items():
        for path in sorted((FILES / folder).rglob("*")):
            if path.is_file():
                bucket, *segments = path.relative_to(FILES / folder).parts
                yield ref, bucket, "/".join(segments), path.read_bytes()


def _drawn() -> Iterator[Drawn]:
    harbour = sunrise((38, 70, 110), (250, 206, 120), (16, 52, 74))
    dusk = sunrise((72, 40, 92), (244, 130, 94), (28, 24, 56))
    box = parcel((96, 110, 92), (196, 152, 100), (232, 214, 170))
    yield TRACKING, "public-assets", "banner.png", png(192, 72, harbour)
    for day, code in (("2026-11-17", "NL204881337DE"), ("2026-11-17", "NL204881402DE"), ("2026-11-18", "NL204890015DE")):
        yield TRACKING, "delivery-photos", f"{day}/{code}.png", png(96, 72, box)
        yield TRACKING, "labels", f"{day[:7].replace('-', '/')}/{code}.pdf", _label(code)
    yield (
        TRACKING,
        "labels",
        "2026/10/returns & claims (week 43).pdf",
        pdf("Returns and claims, week 43", ["12 parcels returned.", "2 claims."]),
    )
    yield STAGING, "labels", "2026/11/NL000000001DE.pdf", _label("NL000000001DE")
    yield PORTFOLIO, "portfolio-images", "2025/harbour-museum/dusk.png", png(160, 100, dusk)
    yield PORTFOLIO, "portfolio-images", "2025/bakery/pattern.png", png(96, 96, weave((222, 184, 120), (58, 94, 70)))
    yield PORTFOLIO, "portfolio-images", "cover.png", png(128, 80, weave((24, 40, 72), (228, 92, 64)))
    yield (
        PORTFOLIO,
        "client-drafts",
        "museum/offer 2025-04.pdf",
        pdf("Offer", ["Signage for 14 rooms, three languages.", "Valid until 30 April."]),
    )
    yield (
        UPLOADS,
        "incoming",
        "Zeppelin GmbH/2026-11/brief.pdf",
        pdf("Brief", ["A new leaflet, A5, four pages.", "Deadline: second week of December."]),
    )
    yield UPLOADS, "incoming", "Zeppelin GmbH/2026-11/sketch.png", png(96, 64, weave((250, 246, 236), (40, 60, 130)))


def _label(code: str) -> bytes:
    return pdf(code, ["Nordlicht Logistik", "Depot Hamburg S\xfcd, ramp 3", "To: see tracking page", "Weight: 1240 g"])
