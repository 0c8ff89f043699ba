"""A size in bytes, typed as a number and a unit."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django import forms

from dashboard.features.buckets.rules.limits import UNITS, split

LARGEST = 2**53 - 1
CHOICES = (
    ("MB", "MB (1,000,000 bytes)"),
    ("MiB", "MiB (1,048,576 bytes)"),
    ("GB", "GB (1,000 MB)"),
    ("GiB", "GiB (1,024 MiB)"),
    ("KB", "KB (1,000 bytes)"),
    ("KiB", "KiB (1,024 bytes)"),
    ("B", "bytes"),
)


class SizeWidget(forms.MultiWidget):
    """The number and its unit, side by side."""

    def __init__(self) -> None:
        number = forms.TextInput({"inputmode": "decimal", "autocomplete": "off", "aria-label": "Number", "class": "input"})
        unit = forms.Select({"aria-label": "Unit", "class": "input"}, choices=CHOICES)
        super().__init__({"": number, "unit": unit})

    def decompress(self, value: int | None) -> list[str]:
        if value is None:
            return ["", "MB"]
        unit, number = split(value)
        return [number, unit]


class SizeField(forms.MultiValueField):
    """Bytes, or None where no number was typed."""

    def __init__(self, **options: Any) -> None:
        number = forms.DecimalField(
            required=False, min_value=0, max_value=LARGEST, error_messages={"invalid": "Type a number, such as 50 or 1.5."}
        )
        unit = forms.ChoiceField(required=False, choices=CHOICES)
        super().__init__(fields=(number, unit), widget=SizeWidget(), require_all_fields=False, **options)

    def compress(self, data_list: Sequence[Any]) -> int | None:
        number: Decimal | None = data_list[0] if data_list else None
        if number is None:
            return None
        size = number * UNITS[data_list[1] or "B"]
        if size > LARGEST or size != size.to_integral_value():
            raise forms.ValidationError("That is not a whole number of bytes that the service could count. Choose another unit.")
        return int(size)
