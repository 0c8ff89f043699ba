"""One's own account: what this feature adds to the product."""

from functools import partial

from django.urls import reverse

from dashboard.tokens import palette
from dashboard.web.pages import navigation

palette.add_words("account:tokens", "keys tokens password name profile email e-mail")
palette.add_words("account:sign_in", "2fa mfa totp two-factor two factor sessions security")
palette.add_action("Add a token", "key-round", "account:token_new")
palette.add_action("Passkeys, authenticator app and devices", "shield-check", "account:sign_in")
palette.add_action("Change your account", "key-round", "account:tokens")
palette.add_action("Theme: light or dark", "sun-moon", "account:tokens", "#theme")
palette.add_action("Sign out", "log-out", "account_logout")
palette.add_words("account_logout", "log out logout")
navigation.name_pages(
    tokens=partial(reverse, "account:tokens"),
    factors=partial(reverse, "account:sign_in"),
    unlock=partial(reverse, "account:lock"),
    add=partial(reverse, "account:token_new"),
)
