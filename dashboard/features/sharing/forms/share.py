"""The terms of a share link."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, cast

from django import forms
from django.core.exceptions import ValidationError
from django.forms import BoundField

from dashboard.features.sharing.services.visitor import single_of
from dashboard.links import policy
from dashboard.links.forms import ChangeForm, TermsForm
from dashboard.links.lifecycle import Terms
from dashboard.links.models import Share
from dashboard.team.models import Person
from dashboard.tokens.models import Grant
from dashboard.web.input.expiry import EXACT
from dashboard.web.input.forms import FileNameField, FreshForm
from dashboard.web.text import counted, relative

PAGE, VIEW, DIRECT = "page", "view", "direct"
OPENS = (
    (PAGE, "Show it, with a download button"),
    (VIEW, "Show it, without a download button"),
    (DIRECT, "Start the download"),
)
OPENS_IN_LINE = {PAGE: "can download", VIEW: "can only view", DIRECT: "downloads at once"}
PROTECTED = (("no", "no password"), ("yes", "with a password"))
WORDS = ("life", "protected", "landing")
MORE = ("note", "download_name", "limit", "private_note", "tells_first")


class ShareForm(TermsForm):
    """The terms of a share link. `many`: it leads to several objects, so the page always comes first."""

    endless: ClassVar[str] = "No end"

    landing = forms.ChoiceField(
        label="When opened",
        choices=OPENS,
        widget=forms.RadioSelect,
        initial=PAGE,
        help_text="Viewers can save what they see even without the button.",
    )
    download_name = FileNameField(label="Download name", help_text="Leave empty for the file's own name.")
    limit = forms.IntegerField(
        label="Download limit",
        required=False,
        min_value=1,
        max_value=1_000_000,
        help_text="Views count, too. Leave empty for unlimited.",
    )
    private_note = forms.CharField(label="Private note", required=False, max_length=200, help_text="Only you see and find it.")
    tells_first = forms.BooleanField(label="Notify me of the first opening", required=False)
    field_order: Sequence[str] = (
        *("life", "end", "zone", "landing", "download_name", "password", "limit", "note"),
        *("private_note", "tells_first"),
    )

    def __init__(self, *args: Any, many: bool = False, grant: Grant | None = None, **kwargs: Any) -> None:
        super().__init__(*args, latest=policy.latest_of_share(grant), **kwargs)
        if policy.requires_password():
            self.require_password()
        if many:
            cast("forms.ChoiceField", self.fields["landing"]).choices = OPENS[:2]
            self.fields["download_name"].help_text = "Of the ZIP. Leave empty for the folder's name."

    @property
    def terms(self) -> Terms:
        """Only of a valid form."""
        data = self.cleaned_data
        return Terms(
            ends_at=data["ends_at"],
            zone=data["zone"],
            note=data["note"].strip(),
            password=data["password"],
            limit=data.get("limit"),
            landing=data.get("landing") != DIRECT,
            hides_download=data.get("landing") == VIEW,
            download_name=data.get("download_name", ""),
            private_note=data["private_note"].strip(),
            tells_first=data["tells_first"],
        )


# What concerns downloads only.
DOWNLOADS = ("landing", "download_name", "limit")


class NewShareForm(ShareForm):
    """A new link, its main terms as words of one line. `person` is asked for a name first if they have none."""

    template_name = "sharing/_terms.html"

    name = forms.CharField(
        label="Your name",
        max_length=100,
        help_text="Recipients see who shared it.",
        error_messages={"required": "Enter your name."},
    )
    protected = forms.ChoiceField(label="Protection", choices=PROTECTED, required=False, initial="no")

    def __init__(self, *args: Any, person: Person, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if person.name:
            del self.fields["name"]
        if policy.requires_password():
            del self.fields["protected"]
        self._select("life", lambda _, label: f"{label[:1].lower()}{label[1:]}")
        self._select("landing", lambda value, _: OPENS_IN_LINE[value])

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        if data.get("protected") == "no":
            data["password"] = ""
            self.errors.pop("password", None)
        elif data.get("protected") == "yes" and data.get("password") == "":
            self.add_error("password", "Enter a password.")
        return data

    @property
    def words(self) -> list[BoundField]:
        """The terms in the line."""
        return [self[name] for name in WORDS if name in self.fields]

    @property
    def more(self) -> list[BoundField]:
        """The terms below the line."""
        return [self[name] for name in MORE if name in self.fields]

    @property
    def is_more_refused(self) -> bool:
        return any(field.errors for field in self.more)

    def _select(self, name: str, word: Callable[[str, str], str]) -> None:
        field: Any = self.fields[name]
        choices = [(value, word(value, label)) for value, label in field.choices]
        field.widget = forms.Select()
        field.choices = choices


class PageForm(NewShareForm):
    """A new link to a page without downloads."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, many=True, **kwargs)
        for name in DOWNLOADS:
            del self.fields[name]


class EditForm(FreshForm, ChangeForm, ShareForm):
    """New terms for an existing link; its address stays."""

    field_order = (
        *("life", "end", "zone", "landing", "download_name", "password", "no_password", "limit", "note"),
        *("private_note", "tells_first"),
    )

    def __init__(self, *args: Any, share: Share, is_mine: bool = True, **kwargs: Any) -> None:
        own = share.private_note if is_mine else ""
        first = {
            "landing": _opens(share),
            "download_name": share.download_name,
            "limit": share.limit,
            "private_note": own,
            "tells_first": share.tells_first,
        }
        shown = (share.ends_at, share.note, share.password, share.limit, _opens(share), share.download_name, own)
        is_page = share.kind != Share.Kind.OBJECTS
        many = is_page or single_of(share) is None
        super().__init__(*args, shown=shown, link=share, many=many, grant=share.grant, initial=first, **kwargs)
        self._share = share
        if policy.requires_password():
            self.fields.pop("no_password", None)
            self.fields["password"].required = not share.password
        for name in DOWNLOADS if is_page else ():
            del self.fields[name]
        if share.opened:
            del self.fields["tells_first"]
        if not is_mine:
            self._keep_stricter_fields()

    def _keep_stricter_fields(self) -> None:
        """Leave out what could loosen somebody else's link."""
        cast("forms.ChoiceField", self.fields["life"]).choices = [self._as_it_is(), (EXACT, "Until an earlier date and time")]
        kept = (
            *("landing", "download_name", "note", "private_note", "tells_first", "no_password"),
            *(("password",) if self._share.password else ()),
        )
        for name in kept:
            self.fields.pop(name, None)

    def clean_limit(self) -> int | None:
        limit: int | None = self.cleaned_data["limit"]
        if limit is not None and limit < self._share.opened:
            raise ValidationError(f"It was already opened {counted(self._share.opened, 'time')}.")
        return limit

    def now(self) -> str:
        share = self._share
        limit = f"a limit of {share.limit:,}" if share.limit else "no limit"
        password = "a password" if share.password else "no password"
        note = f"the note “{share.note}”" if share.note else "no note"
        expires = f"It now expires {relative(share.expires_at)}" if share.expires_at else "It now has no end"
        return f"This link changed after you opened it. {expires} and has {limit}, {password} and {note}."

    @property
    def terms(self) -> Terms:
        data = self.cleaned_data
        opens = data.get("landing") or _opens(self._share)
        return Terms(
            ends_at=self.ends_at,
            zone=data["zone"],
            note=data.get("note", self._share.note).strip(),
            password=self.new_password,
            limit=data.get("limit"),
            landing=opens != DIRECT,
            hides_download=opens == VIEW,
            download_name=data.get("download_name", self._share.download_name),
            private_note=data.get("private_note", self._share.private_note).strip(),
            tells_first=data.get("tells_first", self._share.tells_first),
        )


def _opens(share: Share) -> str:
    return VIEW if share.hides_download else PAGE if share.landing else DIRECT
