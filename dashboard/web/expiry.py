"""The expiry of a link: a duration, or an exact time in the person's time zone."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django import forms

from dashboard.web.forms import Form
from dashboard.web.text import zone_named

LIVES = {
    "3600": "1 hour",
    "86400": "1 day",
    "604800": "7 days",
    "2592000": "30 days",
}
EXACT = "exact"


class EndForm(Form):
    """Choose an expiry, `most` from now at the latest. Cleaned data has `ends_at` and `zone`, which is "" if unknown."""

    life = forms.ChoiceField(
        label="The link works for",
        choices=[*LIVES.items(), (EXACT, "Until an exact time")],
        widget=forms.RadioSelect,
        initial="86400",
    )
    end = forms.DateTimeField(
        label="Expires at",
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"],
        help_text="In UTC.",
    )
    zone = forms.CharField(required=False, widget=forms.HiddenInput(attrs={"data-zone": ""}), max_length=64)

    def __init__(self, *args: Any, most: timedelta | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._most = most
        if most is not None:
            seconds = max(int(most.total_seconds()), 1)
            lives = {life: words for life, words in LIVES.items() if int(life) <= seconds}
            life = self.fields["life"]
            assert isinstance(life, forms.ChoiceField)  # noqa: S101 - declared above
            life.choices = [*(lives or {str(seconds): "Until your access ends"}).items(), (EXACT, "Until an exact time")]
            life.initial, life.help_text = life.choices[0][0], "Through somebody else's token an hour at most."

    def clean_zone(self) -> str:
        zone = str(self.cleaned_data["zone"])
        return zone if zone_named(zone) else ""

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if data.get("life") == EXACT and "end" in data:
            data["ends_at"] = self._exact_end(data["end"], data.get("zone", ""))
        elif "life" in data:
            data["ends_at"] = datetime.now(UTC) + timedelta(seconds=int(data["life"])) if data["life"].isdecimal() else None
        return data

    def _exact_end(self, end: datetime | None, zone: str) -> datetime | None:
        if end is None:
            self.add_error("end", "Enter when the link expires.")
            return None
        moment = end.replace(tzinfo=zone_named(zone) or UTC).astimezone(UTC)
        if moment < datetime.now(UTC) + timedelta(seconds=30):
            self.add_error("end", "This time is in the past. Choose a later one.")
        if self._most is not None and moment > datetime.now(UTC) + self._most:
            self.add_error("end", "This is too late. Choose an earlier time.")
        return moment
