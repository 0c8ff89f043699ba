from django.urls import path

from dashboard.web import theme

app_name = "web"
urlpatterns = [
    path("theme/", theme.theme, name="theme"),
]
