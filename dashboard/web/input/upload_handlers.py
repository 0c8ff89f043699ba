"""Upload handler for files in forms. Uploads of objects are streamed instead."""

from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import MemoryFileUploadHandler

LARGEST = 32_000_000


class Bounded(MemoryFileUploadHandler):
    """Keep files in memory, and refuse forms over 32 MB before reading them."""

    def handle_raw_input(
        self,
        input_data: Any,
        META: dict[str, Any],  # noqa: N803 - Django's signature
        content_length: int,
        boundary: str,
        encoding: str | None = None,
    ) -> None:
        if content_length > LARGEST:
            raise RequestDataTooBig("A form takes at most 32 MB.")
        super().handle_raw_input(input_data, META, content_length, boundary, encoding)
