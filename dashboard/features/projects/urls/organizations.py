from django.urls import path

from dashboard.features.projects.views import names

app_name = "organizations"
urlpatterns = [
    path("", names.index, name="index"),
    path("new/", names.new, name="new"),
]
