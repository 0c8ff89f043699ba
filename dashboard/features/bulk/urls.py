app_name = "bulk"
urlpatterns: list[object] = []
