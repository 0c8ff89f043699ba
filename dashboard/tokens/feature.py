"""Stored tokens: what this package adds to lower ones."""

from dashboard.notifications import delivery, kinds
from dashboard.notifications import hooks as notified
from dashboard.team import hooks
from dashboard.tokens import locks, refusals, reminders
from dashboard.tokens.project_names import known_name, name_for
from dashboard.tokens.states import explained
from dashboard.web.pages import navigation
from dashboard.web.pages.errors import explain_failures
from dashboard.web.pages.places import name_places

name_places(known_name)
explain_failures(explained)
notified.place_names.append(name_for)
kinds.register(kinds.Kind(reminders.REFUSED, "Token refused"))
kinds.register(kinds.Kind(reminders.EXPIRES, "Token about to expire"))
kinds.register(kinds.Kind("grant", "Access granted, changed or ended", is_security=True))
delivery.add_reminder(reminders.remind)
hooks.refusals.append(refusals.refusals)
navigation.limit_sections(refusals.shows_section)
hooks.belongings.append(lambda person: person.stored_tokens.all())
hooks.holdings.append(locks.holds)
hooks.on_start_over.append(locks.end)
