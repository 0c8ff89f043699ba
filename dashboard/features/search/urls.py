from django.urls import path

from dashboard.features.search import views

app_name = "search"
urlpatterns = [
    path("<space>/<bucket>/~search/", views.index, name="index"),
    path("<space>/<bucket>/~search/crawl/", views.crawl, name="crawl"),
    path("<space>/<bucket>/~search/export/", views.export, name="export"),
]
