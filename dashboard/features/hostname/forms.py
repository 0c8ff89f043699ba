"""What a person may type about a custom hostname."""

from collections.abc import Mapping
from typing import Any

from django import forms

from dashboard.features.hostname.rules.findings import Finding
from dashboard.features.hostname.rules.names import hostname_problem, tidied
from dashboard.web.forms import Form

PLAIN = {"class": "input input--mono", "autocomplete": "off", "autocapitalize": "off", "spellcheck": "false", "inputmode": "url"}

CHECKLIST = {
    "redirects": (
        "Sign-in redirects are ready",
        "Identity providers accept the callback address under the new name, and the apps' redirect list has it.",
    ),
    "callers": (
        "Apps and webhooks know what changes",
        "Whoever calls the old address goes on working; links in mails and callbacks of sign-in use the new name.",
    ),
    "links": (
        "Links that were shared are accounted for",
        "Presigned links that people hold show the old address. They stay valid until their end, under that address.",
    ),
    "record": (
        "The CNAME stays",
        "It is in place, is not proxied, and is not removed afterwards: the certificate is renewed through it.",
    ),
    "window": ("The time suits", "Sign-in may be interrupted for up to half an hour while the services take over the name."),
}


class HostnameForm(Form):
    """A host name, tidied as it was pasted. When its CNAME is not found, a question joins it: go on in spite of that?"""

    custom_hostname = forms.CharField(
        label="Hostname",
        max_length=1000,
        widget=forms.TextInput({**PLAIN, "placeholder": "api.example.com"}),
        error_messages={"required": "Give the name that the project shall have, such as api.example.com."},
    )
    watch = forms.BooleanField(
        label="Watch the records",
        help_text="Pilothouse looks them up every now and then, and asks the service to verify as soon as they look right.",
        required=False,
        initial=True,
    )

    def __init__(self, data: Mapping[str, Any] | None, *, target: str, initial: Mapping[str, Any] | None = None) -> None:
        """`target` is the host that the CNAME has to point to; empty where the service does not tell it beforehand."""
        super().__init__(data, initial=initial)
        points = f" Publish a CNAME from it to {target} first: the service looks for it." if target else ""
        self.fields["custom_hostname"].help_text = f"A name below your domain, not the domain itself.{points}"
        if data is not None and "anyway" in data:
            self._question()

    @property
    def goes_on(self) -> bool:
        """Whether the person wants to go on although the CNAME was not found."""
        return bool(self.cleaned_data.get("anyway"))

    def clean_custom_hostname(self) -> str:
        host = tidied(self.cleaned_data["custom_hostname"])
        if problem := hostname_problem(host):
            raise forms.ValidationError(problem)
        return host

    def ask(self, found: Finding) -> None:
        """Let the person decide about a CNAME that does not look right."""
        self._question()
        seen = f" Seen: {', '.join(found.seen)}." if found.seen else ""
        self.add_error("anyway", f"{found.word}: the CNAME to {found.expected} was not found as it should be.{seen} {found.fix}")

    def _question(self) -> None:
        self.fields["anyway"] = forms.BooleanField(
            label="Set it up in spite of that",
            required=False,
            help_text="The service may refuse, or wait until the CNAME is there.",
        )
        self.order_fields(["custom_hostname", "anyway", "watch"])


class ActivationForm(Form):
    """Everything must be ticked."""

    def __init__(self, data: Mapping[str, Any] | None) -> None:
        super().__init__(data)
        for name, (label, hint) in CHECKLIST.items():
            message = {"required": "Tick this once it is so."}
            self.fields[name] = forms.BooleanField(label=label, help_text=hint, error_messages=message)


class VerificationForm(Form):
    """Nothing but the wish."""
