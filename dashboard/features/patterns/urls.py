from django.urls import URLPattern

app_name = "patterns"
urlpatterns: list[URLPattern] = []
