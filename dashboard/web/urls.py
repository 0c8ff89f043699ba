from django.urls import path

from dashboard.web.pages import brand, theme

app_name = "web"
urlpatterns = [
    path("theme/", theme.theme, name="theme"),
    path("brand.css", brand.sheet, name="brand_sheet"),
    path("logo", brand.logo, name="brand_logo"),
]
