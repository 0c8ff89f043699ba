from django.urls import path

from dashboard.features.palette import views

app_name = "palette"
urlpatterns = [
    path("", views.index, name="index"),
    path("keys/", views.keys, name="keys"),
]
