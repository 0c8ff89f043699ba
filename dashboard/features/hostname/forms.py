"""What a person may type about a custom hostname."""

from collections.abc import Mapping
from typing import Any

from django import forms

from dashboard.features.hostname.rules.findings import Finding
from dashboard.features.hostname.rules.names import hostname_problem, normalize
from dashboard.web.input.forms import Form

PLAIN = {"class": "input input--mono", "autocomplete": "off", "autocapitalize": "off", "spellcheck": "false", "inputmode": "url"}

CHECKLIST = {
    "redirects": (
        "Sign-in redirects are ready",
        "Identity providers and your redirect list accept the new callback address.",
    ),
    "callers": (
        "Apps and webhooks are prepared",
        "The old address keeps working; e-mail links and sign-in callbacks use the new one.",
    ),
    "links": (
        "Signed links are accounted for",
        "Existing signed links keep the old address and stay valid until they expire.",
    ),
    "record": (
        "The CNAME stays",
        "It isn't proxied and won't be removed: it renews the certificate.",
    ),
    "window": ("Now is a good time", "Sign-in may be interrupted for up to half an hour."),
}


class HostnameForm(Form):
    """A host name. Where its CNAME isn't correct, it is set up only if the person ticks "anyway"."""

    custom_hostname = forms.CharField(
        label="Hostname",
        max_length=1000,
        widget=forms.TextInput({**PLAIN, "placeholder": "api.example.com"}),
        error_messages={"required": "Enter a hostname, such as api.example.com."},
    )
    anyway = forms.BooleanField(
        label="Set up anyway",
        help_text="Also while the CNAME isn't correct. The service may refuse, or wait for it.",
        required=False,
    )
    watch = forms.BooleanField(
        label="Check automatically",
        help_text="Check the DNS records regularly and verify once they are correct.",
        required=False,
        initial=True,
    )

    def __init__(self, data: Mapping[str, Any] | None, *, target: str, initial: Mapping[str, Any] | None = None) -> None:
        """`target` is the host for the CNAME; empty where it isn't known beforehand."""
        super().__init__(data, initial=initial)
        points = f" First add a CNAME that points to {target}." if target else ""
        self.fields["custom_hostname"].help_text = f"A name below your domain, such as api.example.com.{points}"

    @property
    def is_set_up_anyway(self) -> bool:
        return bool(self.cleaned_data.get("anyway"))

    def clean_custom_hostname(self) -> str:
        host = normalize(self.cleaned_data["custom_hostname"])
        if problem := hostname_problem(host):
            raise forms.ValidationError(problem)
        return host

    def ask(self, found: Finding) -> None:
        """Say what is wrong with the CNAME, beside the box that overrides it."""
        seen = f" Seen: {', '.join(found.seen)}." if found.seen else ""
        self.add_error("anyway", f"The CNAME to {found.expected} isn't correct ({found.word.lower()}).{seen} {found.fix}")


class ActivationForm(Form):
    """A checklist in which everything must be ticked."""

    def __init__(self, data: Mapping[str, Any] | None) -> None:
        super().__init__(data)
        for name, (label, hint) in CHECKLIST.items():
            message = {"required": "Confirm this point."}
            self.fields[name] = forms.BooleanField(label=label, help_text=hint, error_messages=message)


class VerificationForm(Form):
    """A confirmation without fields."""
