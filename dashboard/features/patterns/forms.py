"""Sample forms: one with every kind of field, and a short one."""

from django import forms

from dashboard.web.input.forms import Form, SecretField, Switch


class EveryField(Form):
    name = forms.CharField(
        label="Name",
        max_length=63,
        help_text="Lower case letters, digits and hyphens.",
        widget=forms.TextInput({"autocomplete": "off"}),
    )
    region = forms.ChoiceField(label="Region", choices=[("eu", "Europe"), ("us", "North America"), ("ap", "Asia and Pacific")])
    token = SecretField(label="Token", help_text="Stored sealed. It is never shown again.")
    value = SecretField(label="Value", lines=3, strip=False, required=False, help_text="May have several lines.")
    note = forms.CharField(label="Note", widget=forms.Textarea({"rows": 3}), required=False)
    file = forms.FileField(label="File", required=False, help_text="At most 50 MB.")
    reach = forms.ChoiceField(
        label="Who can read it",
        choices=[("private", "Only with a link or a token"), ("public", "Everyone")],
        widget=forms.RadioSelect,
    )
    public = forms.BooleanField(
        label="Public bucket", required=False, widget=Switch(), help_text="Everyone who knows an address can read."
    )
    notify = forms.BooleanField(label="Write to me when it is done", required=False)
    locked = forms.CharField(label="Reference", required=False, disabled=True, initial="abcdefghijklmnopqrst")


class ShortForm(Form):
    name = forms.CharField(
        label="Name",
        max_length=30,
        help_text="At most 30 characters; “taken” is taken.",
        widget=forms.TextInput({"autocomplete": "off"}),
    )
    token = SecretField(label="Token", required=False)
    note = forms.CharField(
        label="Note", required=False, widget=forms.Textarea({"rows": 3}), help_text="Kept in this browser while it is typed."
    )

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if name == "taken":
            raise forms.ValidationError("This name is taken. Choose another one.")
        return name
