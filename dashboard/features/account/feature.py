"""One's own account: what this feature adds to the product."""

from dashboard.team import hooks
from dashboard.tokens import palette
from dashboard.web.pages import errors

palette.add_words("account:tokens", "keys tokens password name")
palette.add_words("account:sign_in", "2fa mfa totp sessions security")
palette.add_action("Add a token", "key-round", "account:token_new")
palette.add_action("Passkeys, authenticator app and devices", "shield-check", "account:sign_in")
palette.add_action("Change your account", "key-round", "account:tokens")
hooks.factor_pages[:] = [f"account:{name}" for name in ("sign_in", "app_new", "passkey_new", "passkey_challenge", "codes")]
hooks.unlock_page[:] = ["account:lock"]
hooks.account_page[:] = ["account:tokens"]
errors.name_token_pages(tokens="account:tokens", unlock="account:lock", add="account:token_new")
