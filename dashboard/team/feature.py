"""People and sign-in: what this package adds to lower ones."""

from dashboard.journal import recorder
from dashboard.notifications import kinds
from dashboard.team import hooks, locked
from dashboard.team.mail import ACCOUNT
from dashboard.team.rights import require_recorded

recorder.before_entries.append(require_recorded)
hooks.refusals.append(locked.refusals)
kinds.register(kinds.Kind(ACCOUNT, "Your account", is_security=True))
