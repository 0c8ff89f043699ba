from django.urls import URLPattern

app_name = "team"
urlpatterns: list[URLPattern] = []
