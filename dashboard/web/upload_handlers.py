"""Files in forms: small enough to be looked at. Objects of the storage never come this way."""

from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import MemoryFileUploadHandler

LARGEST = 32 * 1024 * 1024


class Bounded(MemoryFileUploadHandler):
    """Keeps small files in memory, and refuses a form that announces more than 32 MiB before any of it is written to a disk."""

    def handle_raw_input(
        self,
        input_data: Any,
        META: dict[str, Any],  # noqa: N803 - Django's signature
        content_length: int,
        boundary: str,
        encoding: str | None = None,
    ) -> None:
        if content_length > LARGEST:
            raise RequestDataTooBig("A form takes at most 32 MiB.")
        super().handle_raw_input(input_data, META, content_length, boundary, encoding)
