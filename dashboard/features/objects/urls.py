from django.urls import URLPattern

app_name = "objects"
urlpatterns: list[URLPattern] = []
