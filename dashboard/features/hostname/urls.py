from django.urls import path

from dashboard.features.hostname import views

app_name = "hostname"
urlpatterns = [
    path("", views.index, name="index"),
    path("new/", views.new, name="new"),
    path("verification/", views.verification, name="verification"),
    path("activation/", views.activation, name="activation"),
    path("delete/", views.delete, name="delete"),
    path("watch/", views.watch, name="watch"),
]
