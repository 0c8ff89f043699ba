"""The forms for taking snapshots, now or by a schedule, and for where to restore to."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from django import forms

from dashboard.catalog import keys
from dashboard.catalog.models import KEY_LIMIT
from dashboard.snapshots.schedule import EVERY, Plan
from dashboard.tokens.spaces import Space
from dashboard.web.input.forms import Form, OfferedInput

NOW, NEVER = "now", "never"


class ScheduleForm(Form):
    """What is taken, how often, and how long the snapshots are kept."""

    folder = forms.CharField(
        label="Folder",
        required=False,
        strip=False,
        max_length=KEY_LIMIT,
        help_text="For example photos/2026/. Empty: the whole bucket.",
    )
    every = forms.ChoiceField(
        label="Take a snapshot",
        choices=[(NOW, "Now, once"), *((key, key.capitalize()) for key in EVERY), (NEVER, "By hand only")],
    )
    last = forms.IntegerField(label="Snapshots to keep at least", min_value=1, max_value=1000)
    days = forms.IntegerField(
        label="Days for which all are kept",
        min_value=0,
        max_value=3650,
        help_text="Older ones that your token took of it are deleted, also those taken by hand. The last one with files is kept.",
    )

    def __init__(self, *args: Any, current: Plan | None, initial: Mapping[str, str], **kwargs: Any) -> None:
        first = {"every": current.every, "last": current.last, "days": current.days} if current else {}
        super().__init__(*args, initial={"last": 7, "days": 30, **initial, **first}, **kwargs)

    def clean_folder(self) -> str:
        return keys.folder(self.cleaned_data["folder"])


class RestoreForm(Form):
    """The bucket to restore to, in this project or another one that the person has a token for."""

    space = forms.ChoiceField(label="Project")
    bucket = forms.CharField(label="Bucket", max_length=100, help_text="Files go where they were, below the same folders.")
    deletes = forms.BooleanField(
        label="Delete files that came later",
        required=False,
        help_text="Only where the snapshot was taken. You see first how many these are.",
    )

    def __init__(
        self, *args: Any, spaces: Sequence[Space], buckets: Sequence[str], may_delete: bool, address: str, **kwargs: Any
    ) -> None:
        """`address` offers the buckets of another project."""
        super().__init__(*args, **kwargs)
        if not may_delete:
            del self.fields["deletes"]
        cast("forms.ChoiceField", self.fields["space"]).choices = [(one.name, one.title or one.name) for one in spaces]
        if len(spaces) == 1:
            self.fields["space"].widget = forms.HiddenInput()
        else:
            fill = {"hx-get": address, "hx-trigger": "change", "hx-target": "#bucket-offers", "hx-swap": "outerHTML"}
            self.fields["space"].widget.attrs |= fill
        self.fields["bucket"].widget = OfferedInput(buckets)
