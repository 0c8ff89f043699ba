from django.urls import URLPattern

app_name = "journal"
urlpatterns: list[URLPattern] = []
