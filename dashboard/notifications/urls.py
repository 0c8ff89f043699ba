from django.urls import path

from dashboard.notifications import views

app_name = "notifications"
urlpatterns = [
    path("", views.index, name="index"),
    path("read/", views.read_all, name="read_all"),
    path("settings/", views.preferences, name="preferences"),
    path("unsubscribe/<str:code>/", views.unsubscribe, name="unsubscribe"),
    path("<int:notification_id>/", views.show, name="show"),
    path("<int:notification_id>/read/", views.read, name="read"),
]
