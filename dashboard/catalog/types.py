"""Names of file types as people know them, and the kinds of files."""

from functools import lru_cache

from dashboard.catalog.keys import name_of
from dashboard.web.files.downloads import bare_type

WORDS = {
    "pdf": "PDF document", "doc": "Word document", "docx": "Word document", "odt": "OpenDocument text", "rtf": "Rich text",
    "xls": "Excel workbook", "xlsx": "Excel workbook", "ods": "OpenDocument spreadsheet", "csv": "CSV table", "tsv": "TSV table",
    "ppt": "PowerPoint presentation", "pptx": "PowerPoint presentation", "odp": "OpenDocument presentation",
    "txt": "Text", "log": "Text", "md": "Markdown text", "json": "JSON data", "xml": "XML data", "html": "Web page",
    "jpg": "JPEG image", "jpeg": "JPEG image", "png": "PNG image", "gif": "GIF image", "webp": "WebP image", "avif": "AVIF image",
    "svg": "SVG image", "heic": "HEIC image", "tif": "TIFF image", "tiff": "TIFF image", "bmp": "BMP image",
    "mp4": "MP4 video", "m4v": "MP4 video", "webm": "WebM video", "mov": "QuickTime video", "avi": "AVI video",
    "mkv": "Matroska video", "mp3": "MP3 audio", "m4a": "M4A audio", "wav": "WAV audio", "flac": "FLAC audio", "ogg": "Ogg audio",
    "zip": "ZIP archive", "gz": "Gzip archive", "tgz": "Gzip archive", "tar": "TAR archive", "7z": "7-Zip archive",
    "rar": "RAR archive",
}  # fmt: skip
_EXTENSIONS = {
    "application/pdf": "pdf", "application/msword": "doc", "application/rtf": "rtf", "application/json": "json",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/vnd.ms-excel": "xls", "application/vnd.ms-powerpoint": "ppt",
    "application/vnd.oasis.opendocument.text": "odt", "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.presentation": "odp", "application/xml": "xml", "application/zip": "zip",
    "application/gzip": "gz", "application/x-tar": "tar", "application/x-7z-compressed": "7z",
    "text/csv": "csv", "text/tab-separated-values": "tsv", "text/markdown": "md", "text/html": "html", "text/xml": "xml",
    "image/jpeg": "jpg", "image/png": "png", "image/gif": "gif", "image/webp": "webp", "image/avif": "avif",
    "image/svg+xml": "svg", "image/heic": "heic", "image/tiff": "tiff", "image/bmp": "bmp",
    "video/mp4": "mp4", "video/webm": "webm", "video/quicktime": "mov", "video/x-msvideo": "avi", "video/x-matroska": "mkv",
    "audio/mpeg": "mp3", "audio/mp4": "m4a", "audio/wav": "wav", "audio/x-wav": "wav", "audio/flac": "flac", "audio/ogg": "ogg",
}  # fmt: skip
KINDS = {
    "pdf": "pdf",
    **dict.fromkeys(("doc", "docx", "odt", "rtf", "txt", "log", "md", "json", "xml", "html"), "text"),
    **dict.fromkeys(("xls", "xlsx", "ods", "csv", "tsv"), "table"),
    **dict.fromkeys(("ppt", "pptx", "odp"), "slides"),
    **dict.fromkeys(("zip", "gz", "tgz", "tar", "7z", "rar"), "archive"),
}
MOST_LETTERS = 4
_FAMILIES = {"image": "Image", "video": "Video", "audio": "Audio", "text": "Text", "font": "Font"}
EXTENSION_MAX_LENGTH = 8


def type_text(key: str, content_type: str | None) -> str:
    """Return "PDF document" by the stored type, else by the extension; "XYZ file" or "File" for others."""
    said = bare_type(content_type or "")
    ending = _ending(key)
    if said in _EXTENSIONS:
        return WORDS[_EXTENSIONS[said]]
    if ending in WORDS:
        return WORDS[ending]
    if family := _FAMILIES.get(said.partition("/")[0]):
        return family
    has_extension = ending.isalnum() and ending.isascii() and len(ending) <= EXTENSION_MAX_LENGTH
    return f"{ending.upper()} file" if has_extension else "File"


def mark_of(key: str, content_type: str | None) -> tuple[str, str]:
    """Return what a file's icon shows: its kind ("pdf", "image", "table" …, or ""), and its extension if it is short ("PDF")."""
    return _mark(_ending(key), content_type)


@lru_cache(1024)
def _mark(ending: str, content_type: str | None) -> tuple[str, str]:
    said = bare_type(content_type or "")
    known = _EXTENSIONS.get(said, ending)
    word, family = WORDS.get(known, ""), said.partition("/")[0]
    if not word and family in _FAMILIES:
        word = _FAMILIES[family]
    kind = KINDS.get(known) or next((one for one in ("image", "video", "audio", "text") if word.lower().endswith(one)), "")
    return kind, ending.upper() if ending.isalnum() and ending.isascii() and len(ending) <= MOST_LETTERS else ""


def _ending(key: str) -> str:
    stem, _, ending = name_of(key).rpartition(".")
    return ending.lower() if stem else ""
