from django.urls import path

from dashboard.features.patterns import views

app_name = "patterns"
urlpatterns = [
    path("", views.index, name="index"),
    path("list/", views.things, name="list"),
    path("form/", views.new, name="form"),
    path("confirm/<slug:tier>/", views.delete, name="confirm"),
    path("problem/<slug:kind>/", views.problem, name="problem"),
]
