"""What people should know: what this package adds to lower ones."""

from dashboard.notifications import views
from dashboard.web.pages import frame

frame.add("unread_count", views.unread_count)
