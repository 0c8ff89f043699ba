from django.apps import AppConfig


class ReviewsConfig(AppConfig):
    name = "dashboard.reviews"
    label = "reviews"
