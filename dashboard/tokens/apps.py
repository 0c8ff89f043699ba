from django.apps import AppConfig


class TokensConfig(AppConfig):
    name = "dashboard.tokens"
    label = "tokens"

    def ready(self) -> None:
        from dashboard.notifications import delivery, kinds  # noqa: PLC0415 - as above
        from dashboard.notifications import hooks as notified  # noqa: PLC0415 - as above
        from dashboard.team import hooks  # noqa: PLC0415 - models are loaded from now on
        from dashboard.tokens import locks, refusals, reminders  # noqa: PLC0415 - as above
        from dashboard.tokens.project_names import known_name, name_for  # noqa: PLC0415 - as above
        from dashboard.web.pages import navigation  # noqa: PLC0415 - as above
        from dashboard.web.pages.places import name_places  # noqa: PLC0415 - as above

        name_places(known_name)
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
