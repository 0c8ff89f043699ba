"""The search of a bucket: what this feature adds to the product."""

from dashboard.features.search.views import found, shareable
from dashboard.tokens import palette

palette.add_source("Share", shareable, order=8)
palette.add_source("Files", found, order=70)
