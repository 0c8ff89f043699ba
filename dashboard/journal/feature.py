"""The audit log: what this package adds to lower ones."""

from dashboard.web.pages import navigation

navigation.add_section("Activity", "activity", "journal:index", order=30, covers=("/jobs/", "/notifications/"))
