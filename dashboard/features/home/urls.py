from django.urls import path

from dashboard.features.home import views

app_name = "home"
urlpatterns = [
    path("", views.index, name="index"),
    path("hostnames/", views.hostnames, name="hostnames"),
    path("overview/", views.export, name="export"),
    path("overview/<ref>/", views.row, name="row"),
]
