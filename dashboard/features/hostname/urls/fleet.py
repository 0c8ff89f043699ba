from django.urls import path

from dashboard.features.hostname.views import fleet

app_name = "hostnames"
urlpatterns = [
    path("", fleet.index, name="index"),
    path("<ref>/", fleet.row, name="row"),
]
