"""Forms for tokens and the name."""

from collections import Counter
from collections.abc import Sequence

from django import forms
from django.core.exceptions import ValidationError

from dashboard.features.account.rules import Line, read_lines
from dashboard.tokens.spaces import SHARED
from dashboard.web.input.forms import Form, SecretField

# Each token is checked with the service before it is stored.
KEYS_MAX = 50
LINES = "ref=token, or CSV with the ref or name first and the token last."


class TokenForm(Form):
    """A pasted token."""

    token = SecretField(label="Token", help_text="Checked at once, stored encrypted, and never shown again.")

    def leave_empty(self, hint: str) -> None:
        """Make the token optional; `hint` says what happens without it."""
        self.fields["token"].required = False
        self.fields["token"].help_text = hint


class KeysForm(Form):
    """Storage tokens: of several projects a line each, of a single storage the token alone.

    `spaces`: name and title of each place without a token; None while they can't be read. `pasted`: the tokens by space.
    """

    def __init__(self, data: object, *, spaces: Sequence[tuple[str, str]] | None) -> None:
        super().__init__(data)
        self._titles = dict(spaces or ())
        self._spaces = spaces
        self.pasted: dict[str, str] = {}
        self._numbers: dict[str, int] = {}
        is_one = spaces is not None and [space for space, _ in spaces] == [SHARED]
        self.fields["tokens"] = (
            SecretField(label="Token", required=False)
            if is_one
            else SecretField(label="Tokens, one a line", lines=6, required=False, help_text=LINES)
        )

    def clean_tokens(self) -> str:
        """Find the project of each line. Lines without one are errors; the others are `pasted` even then."""
        text = str(self.cleaned_data["tokens"])
        if self._spaces is not None and text:
            self._read(text)
        return text

    def refuse(self, space: str, reason: ValidationError) -> None:
        """Show why a token was not stored."""
        del self.pasted[space]
        number = self._numbers.get(space)
        where = f"Line {number}, {self._titles[space]}: " if number else ""
        self.add_error("tokens", [ValidationError(f"{where}{text}", code=reason.code) for text in reason.messages])

    def _read(self, text: str) -> None:
        if SHARED in self._titles:
            self.pasted = {SHARED: text}
            return
        names = Counter(title.casefold() for title in self._titles.values())
        known = {title.casefold(): space for space, title in self._titles.items() if names[title.casefold()] == 1}
        known |= {space: space for space in self._titles}
        for line in read_lines(text):
            space = known.get(line.project.casefold(), "")
            if problem := self._problem(line, space):
                self.add_error("tokens", problem)
            else:
                self.pasted[space], self._numbers[space] = line.token, line.number

    def _problem(self, line: Line, space: str) -> str:
        if not space:
            return f"Line {line.number}: no project without a token has this ref or name."
        if space in self._numbers:
            return f"Line {line.number} repeats line {self._numbers[space]}."
        if len(self.pasted) >= KEYS_MAX:
            return f"Line {line.number} was not read: at most {KEYS_MAX} at once. Paste it next."
        return "" if line.token else f"Line {line.number} has no token."


class ChosenSpaceForm(TokenForm):
    """A token for one of the projects."""

    space = forms.ChoiceField(label="Project")
    field_order = ("space", "token")

    def __init__(self, data: object, *, choices: Sequence[tuple[str, str]]) -> None:
        super().__init__(data)
        field = self.fields["space"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - declared above
        field.choices = list(choices)
        self.has_choice = bool(choices)


class TypedSpaceForm(TokenForm):
    """A token for a project by its ref, for installations without a management interface to list projects."""

    space = forms.RegexField(
        r"^[a-z0-9-]{1,63}$",
        label="Project",
        help_text="The project's ref, from its storage address.",
        error_messages={"invalid": "Use lower-case letters, digits and hyphens, at most 63."},
    )
    field_order = ("space", "token")


class NameForm(Form):
    name = forms.CharField(label="Name", max_length=100, required=False, help_text="Shown to your team.")
