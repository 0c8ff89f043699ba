from django.urls import path

from dashboard.features.projects.views import naming

app_name = "organizations"
urlpatterns = [
    path("", naming.index, name="index"),
    path("new/", naming.new, name="new"),
]
