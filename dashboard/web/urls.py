from django.urls import path

from dashboard.web import appearance

app_name = "web"
urlpatterns = [
    path("theme/", appearance.theme, name="theme"),
]
