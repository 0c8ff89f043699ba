#!/usr/bin/env python3
"""The one entrance: `manage.py start` runs everything, `doctor` checks it, every other word is a Django command."""

import os
import sys

from dashboard.web.process.kernel import refuse_inspection


def main() -> None:
    # The environment, or what is read soon, holds the keys.
    refuse_inspection()
    if sys.argv[1:2] == ["start"]:
        # Before Django: settings are read at import, and `start` decides the data folder, the keys and the ports first.
        from dashboard.launch.start import main as start

        sys.exit(start(sys.argv[2:]))
    if sys.argv[1:2] == ["doctor"]:
        # Before Django, too, which refuses to load with wrong settings.
        from dashboard.launch.doctor import main as doctor

        sys.exit(doctor(sys.argv[2:]))
    if sys.argv[1:2] == ["snapshot"]:
        # Before Django, too: it needs neither keys nor a database.
        from dashboard.launch.snapshot import main as snapshot

        sys.exit(snapshot(sys.argv[2:]))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as wrong:
        sys.stderr.write(f"pilothouse: {wrong}\n")
        sys.exit(2)


if __name__ == "__main__":
    main()
