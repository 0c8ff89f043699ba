"""The expiry of a link: a duration, none, or an exact time in the person's time zone."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, cast

from django import forms

from dashboard.web.input.forms import Form
from dashboard.web.text import zone_named

LIVES = {
    "3600": "1 hour",
    "86400": "1 day",
    "604800": "7 days",
    "2592000": "30 days",
    "7776000": "90 days",
    "31536000": "1 year",
}
EXACT, ENDLESS, LATEST = "exact", "none", "latest"
# Stored if there is no expiry, so that comparing and sorting need no special case. Valid in every time zone.
NO_END = datetime(9999, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Latest:
    """The latest expiry to offer, the label of that choice, and the reason in a sentence."""

    moment: datetime
    choice: str
    reason: str


class EndForm(Form):
    """A form to choose an expiry up to `latest`. Cleaned data has `ends_at` and `zone`, which is "" if unknown."""

    # Label of the choice without an expiry; empty if there must be one.
    endless: ClassVar[str] = ""

    life = forms.ChoiceField(label="The link works for", widget=forms.RadioSelect)
    end = forms.DateTimeField(
        label="Expires at",
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"],
        help_text="In UTC.",
    )
    zone = forms.CharField(required=False, widget=forms.HiddenInput(attrs={"data-zone": ""}), max_length=64)

    def __init__(self, *args: Any, latest: Latest | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._latest = latest
        self.offer("86400")

    def offer(self, initial: str, *, before: tuple[tuple[str, str], ...] = (), suffix: str = "") -> None:
        """Offer the allowed durations, after the choices in `before`. `suffix` is added to a duration's label."""
        life, latest = cast("forms.ChoiceField", self.fields["life"]), self._latest
        left = (latest.moment - datetime.now(UTC)).total_seconds() if latest else float("inf")
        lives = [(seconds, words + suffix) for seconds, words in LIVES.items() if int(seconds) <= left + 60]
        if latest and (not lives or int(lives[-1][0]) < left - 60):
            lives.append((LATEST, latest.choice))
        if self.endless and not latest:
            lives.append((ENDLESS, self.endless))
        life.choices = [*before, *lives, (EXACT, "Until a date and time")]
        offered = [value for value, _ in (*before, *lives)]
        life.initial = initial if initial in offered else offered[-1]
        life.help_text = latest.reason if latest else ""

    def clean_zone(self) -> str:
        zone = str(self.cleaned_data["zone"])
        return zone if zone_named(zone) else ""

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if data.get("life") == EXACT and "end" in data:
            data["ends_at"] = self._exact_end(data["end"], data.get("zone", ""))
        elif "life" in data:
            data["ends_at"] = self._chosen_end(data["life"])
        return data

    def _chosen_end(self, life: str) -> datetime | None:
        if life == ENDLESS:
            return NO_END
        latest = self._latest.moment if self._latest else NO_END
        if life.isdecimal():
            return min(datetime.now(UTC) + timedelta(seconds=int(life)), latest)
        return latest if life == LATEST else None

    def _exact_end(self, end: datetime | None, zone: str) -> datetime | None:
        if end is None:
            self.add_error("end", "Enter when it expires.")
            return None
        try:
            moment = end.replace(tzinfo=zone_named(zone) or UTC).astimezone(UTC)
        except OverflowError:
            self.add_error("end", "Choose another date.")
            return None
        if moment < datetime.now(UTC) + timedelta(seconds=30):
            self.add_error("end", "This time is in the past. Choose a later one.")
        if self._latest and moment > self._latest.moment + timedelta(minutes=5):
            self.add_error("end", f"This is too late. {self._latest.reason}")
        return min(moment, self._latest.moment if self._latest else NO_END)
