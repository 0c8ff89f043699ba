from django.urls import path

from dashboard.features.types import views

app_name = "types"
urlpatterns = [
    path("", views.index, name="index"),
    path("file/", views.file, name="file"),
    path("check/", views.check, name="check"),
]
