from django.urls import path

from dashboard.features.projects import views

app_name = "projects"
urlpatterns = [
    path("", views.index, name="index"),
    path("<ref>/", views.show, name="show"),
]
