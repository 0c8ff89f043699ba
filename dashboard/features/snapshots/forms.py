"""The forms for automatic snapshots, and for where to restore to."""

from collections.abc import Sequence
from typing import Any, cast

from django import forms

from dashboard.snapshots.schedule import EVERY, Plan
from dashboard.tokens.spaces import Space
from dashboard.web.input.forms import Form, OfferedInput

NEVER = "never"


class ScheduleForm(Form):
    """How often, and how long they are kept."""

    every = forms.ChoiceField(
        label="Take a snapshot", choices=[(NEVER, "By hand only"), *((key, key.capitalize()) for key in EVERY)]
    )
    last = forms.IntegerField(label="Snapshots to keep at least", min_value=1, max_value=1000)
    days = forms.IntegerField(
        label="Days for which all are kept",
        min_value=0,
        max_value=3650,
        help_text="Older ones that your token took are deleted, also those taken by hand. The last one with files is kept.",
    )

    def __init__(self, *args: Any, current: Plan | None, **kwargs: Any) -> None:
        first = {"every": current.every, "last": current.last, "days": current.days} if current else {}
        super().__init__(*args, initial={"every": "daily", "last": 7, "days": 30} | first, **kwargs)


class RestoreForm(Form):
    """The bucket to restore to, in this project or another one that the person has a token for."""

    space = forms.ChoiceField(label="Project")
    bucket = forms.CharField(label="Bucket", max_length=100, help_text="Files go where they were, below the same folders.")

    def __init__(self, *args: Any, spaces: Sequence[Space], buckets: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        cast("forms.ChoiceField", self.fields["space"]).choices = [(one.name, one.title or one.name) for one in spaces]
        if len(spaces) == 1:
            self.fields["space"].widget = forms.HiddenInput()
        self.fields["bucket"].widget = OfferedInput(buckets)
