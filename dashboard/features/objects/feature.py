"""The object browser: what this feature adds to the product."""

from dashboard.features.objects.services import delete
from dashboard.features.objects.views import batch
from dashboard.jobs.settlement import register
from dashboard.journal import queries
from dashboard.web.pages import navigation

navigation.add_inner("bucket", "objects:index", of="space")
queries.add_action_page(batch.page_of)
register(*delete.RULES)
