from django.urls import path

from dashboard.features.types import views

app_name = "types"
urlpatterns = [path("", views.index, name="index")]
