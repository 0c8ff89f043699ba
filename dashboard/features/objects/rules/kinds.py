"""How an object may be looked at, by its type and its name. What can carry a script is text here, whatever it calls itself."""

from dataclasses import dataclass
from enum import StrEnum

from dashboard.web.downloads import SHOWN, bare_type

# Types that say nothing of what is inside: then the ending of the name counts.
SILENT = frozenset({"", "application/octet-stream", "binary/octet-stream", "application/x-binary", "text/plain"})
BY_ENDING = {
    "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp", "avif":
    "image/avif", "bmp": "image/bmp", "ico": "image/x-icon", "mp3": "audio/mpeg", "oga": "audio/ogg", "ogg": "audio/ogg",
    "opus": "audio/ogg", "wav": "audio/wav", "weba": "audio/webm", "m4a": "audio/mp4", "aac": "audio/aac", "flac":
    "audio/flac", "mp4": "video/mp4", "m4v": "video/mp4", "webm": "video/webm", "ogv": "video/ogg", "mov":
    "video/quicktime",
}  # fmt: skip
SYNONYMS = {
    "image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg", "image/vnd.microsoft.icon": "image/x-icon", "image/x-ms-bmp":
    "image/bmp", "audio/mp3": "audio/mpeg", "audio/x-wav": "audio/wav", "audio/wave": "audio/wav", "audio/x-m4a":
    "audio/mp4", "audio/x-flac": "audio/flac", "video/x-m4v": "video/mp4",
}  # fmt: skip
TEXTS = frozenset(
    {
        "application/json", "application/ld+json", "application/geo+json", "application/manifest+json", "application/xml",
        "application/javascript", "application/ecmascript", "application/x-javascript", "application/typescript",
        "application/yaml", "application/x-yaml", "application/toml", "application/sql", "application/graphql",
        "application/x-sh", "application/x-ndjson", "application/jsonl", "application/xhtml+xml", "application/rtf",
        "application/x-httpd-php", "application/x-subrip", "message/rfc822", "application/pgp-keys", "application/x-pem-file",
        "multipart/related",
    }
)  # fmt: skip
TEXT_ENDINGS = frozenset(
    {
        "txt", "text", "log", "md", "markdown", "rst", "json", "jsonl", "ndjson", "geojson", "csv", "tsv", "xml", "xsl", "xslt",
        "html", "htm", "xhtml", "mht", "mhtml", "svg", "css", "scss", "less", "js", "mjs", "cjs", "jsx", "ts", "tsx", "vue",
        "yaml", "yml", "toml", "ini", "cfg", "conf", "env", "properties", "sql", "graphql", "sh", "bash", "zsh", "bat", "ps1",
        "py", "rb", "go", "rs", "java", "kt", "c", "h", "cc", "cpp", "hpp", "cs", "php", "pl", "lua", "r", "swift", "scala",
        "dockerfile", "makefile", "gitignore", "editorconfig", "diff", "patch", "tex", "srt", "vtt", "ics", "vcf", "pem", "crt",
        "key", "pub", "eml", "tf", "proto", "lock",
    }
)  # fmt: skip
JSON_ENDINGS = frozenset({"json", "geojson", "webmanifest"})
PDF = "application/pdf"


class Kind(StrEnum):
    """How it is shown: as text, by the browser's own means, on the storage address, or not at all."""

    TEXT = "text"
    IMAGE = "image"
    AUDIO = "audio"
    VIDEO = "video"
    PDF = "pdf"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Look:
    """The kind, and for images, audio and video the type that is sent."""

    kind: Kind
    type: str = ""


def look_of(key: str, content_type: str | None) -> Look:
    """How this object may be shown."""
    said = bare_type(content_type or "")
    said = SYNONYMS.get(said, said)
    ending = _ending(key)
    if said in SILENT and ending in BY_ENDING:
        said = BY_ENDING[ending]
    if said in SHOWN:
        return Look(Kind(said.partition("/")[0]), said)
    if said == PDF or (said in SILENT and ending == "pdf"):
        return Look(Kind.PDF)
    text = said.startswith("text/") or said in TEXTS or said.endswith(("+xml", "+json"))
    return Look(Kind.TEXT if text or (said in SILENT and ending in TEXT_ENDINGS) else Kind.NONE)


def is_json(key: str, content_type: str | None) -> bool:
    said = bare_type(content_type or "")
    return said.endswith(("/json", "+json")) or (said in SILENT and _ending(key) in JSON_ENDINGS)


def _ending(key: str) -> str:
    return key.rpartition("/")[2].rpartition(".")[2].lower()
