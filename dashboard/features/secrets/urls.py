from django.urls import URLPattern

app_name = "secrets"
urlpatterns: list[URLPattern] = []
