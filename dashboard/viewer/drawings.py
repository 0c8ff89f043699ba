"""Draw thumbnails and pages as small WebP pictures without metadata. Only `process` imports this, in a fork with limits."""

from collections.abc import Iterator
from io import BytesIO
from math import ceil
from typing import cast

import pypdfium2
from PIL import Image, ImageOps

from dashboard.viewer.protocol import MOST_PAGES, PAGES_AT_ONCE, outline

THUMBNAIL = (320, 240)
# A4 at 150 dots an inch.
PAGE = (1240, 1754)
MOST_SCALE = 4.0
MOST_PIXELS = 50_000_000
MOST_THUMBNAIL_BYTES = 30 * 1024
MOST_PAGE_BYTES = 400 * 1024
QUALITIES = (75, 55, 35, 15)
FORMATS = ("JPEG", "PNG", "WEBP", "GIF")


def picture(data: bytes) -> bytes:
    """Return the thumbnail of a picture, rotated by its EXIF."""
    with Image.open(BytesIO(data), formats=FORMATS) as found:
        if found.width * found.height > MOST_PIXELS:
            raise ValueError("too many pixels")
        # Palette colours can't be mixed.
        whole = found.convert("RGBA") if found.mode == "P" else found
        # Without `reducing_gap`, JPEG is decoded at the smallest scale that is large enough.
        whole.thumbnail(THUMBNAIL, reducing_gap=1.0)
        return _clean(ImageOps.exif_transpose(whole), MOST_THUMBNAIL_BYTES)


def first_page(data: bytes) -> bytes:
    """Return the thumbnail of a PDF."""
    return _clean(_drawn(pypdfium2.PdfDocument(data)[0], THUMBNAIL), MOST_THUMBNAIL_BYTES)


def pages(data: bytes, first: int) -> Iterator[bytes]:
    """Yield the outline of a PDF, then its pages from `first` (0 is the first page)."""
    document = pypdfium2.PdfDocument(data)
    # Otherwise the content of form fields is missing.
    document.init_forms()
    shown = range(min(len(document), MOST_PAGES))
    yield outline(len(document), [_size(document, number) for number in shown])
    for number in shown[first : first + PAGES_AT_ONCE]:
        yield _clean(_drawn(document[number], PAGE), MOST_PAGE_BYTES)


def _drawn(page: pypdfium2.PdfPage, box: tuple[int, int]) -> Image.Image:
    return cast("Image.Image", page.render(scale=_scale(page.get_size(), box)).to_pil())


def _scale(size: tuple[float, float], box: tuple[int, int]) -> float:
    width, height = size
    return min(box[0] / max(width, 1), box[1] / max(height, 1), MOST_SCALE)


def _size(document: pypdfium2.PdfDocument, number: int) -> tuple[int, int]:
    """Return width and height as `render` rounds them; for a damaged page, those of paper."""
    try:
        size = document.get_page_size(number)
    except pypdfium2.PdfiumError:
        return PAGE
    scale = _scale(size, PAGE)
    return max(1, ceil(size[0] * scale)), max(1, ceil(size[1] * scale))


def _clean(source: Image.Image, most: int) -> bytes:
    """Encode in at most this many bytes, reducing quality or size if needed."""
    mode = "RGBA" if "A" in source.getbands() or "transparency" in source.info else "RGB"
    small = source.convert(mode)
    # A new picture has no EXIF, XMP or colour profile.
    clean = Image.new(mode, small.size)
    clean.paste(small)
    while True:
        for quality in QUALITIES:
            out = BytesIO()
            clean.save(out, "WEBP", quality=quality, method=2)
            if out.tell() <= most:
                return out.getvalue()
        clean = clean.reduce(2)
