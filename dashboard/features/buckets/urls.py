from django.urls import URLPattern

app_name = "buckets"
urlpatterns: list[URLPattern] = []
