"""The form for automatic snapshots."""

from typing import Any

from django import forms

from dashboard.snapshots.schedule import EVERY, Plan
from dashboard.web.input.forms import Form

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
