"""What a new sandbox holds."""


def plant() -> None:
    """Placeholder."""
    from dashboard.sandbox.prepare import plant_one

    plant_one()
