"""Names of files and folders that every file system takes. Pure text, for archives, scripts and exported snapshots."""

import re
import unicodedata

LONGEST_PART = 200
_REFUSED = re.compile(r'[<>:"|?*\\]')
_DEVICES = re.compile(r"^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)", re.IGNORECASE)


def file_name(part: str) -> str:
    """Return one part of a path as a name; never empty, "." or "..". Two parts may get the same name."""
    shown = "".join("_" if unicodedata.category(character)[0] == "C" else character for character in part)
    shown = _REFUSED.sub("_", unicodedata.normalize("NFC", shown)).rstrip(". ").lstrip(" ")
    if not shown or _DEVICES.match(shown):
        shown = f"_{shown}"
    if len(shown.encode()) > LONGEST_PART:
        stem, dot, ending = shown.rpartition(".")
        end = f"{dot}{ending}" if stem and len(ending.encode()) <= 20 else ""
        shown = shown.encode()[: LONGEST_PART - len(end.encode())].decode(errors="ignore").rstrip(". ") + end
    return shown
