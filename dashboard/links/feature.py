"""Share links: what this package adds to lower ones."""

from dashboard.links import lifecycle
from dashboard.links.ledger import returning
from dashboard.links.models import Share
from dashboard.team import hooks

hooks.belongings.append(lambda person: person.shares.all())
hooks.on_reactivation.append(returning)
hooks.possessions.append(lifecycle.possession("share link", Share))
