"""Review, then apply: a sealed draft with an address of its own, applied once.

from dashboard.reviews import reviews

review = reviews.create(workspace, "secrets of ref", {"entries": [...]})    # then redirect to its page
review = reviews.find(workspace, "secrets of ref", pk)                       # 404 for anybody else
review.payload                                                               # opened only where it is asked for
reviews.apply(review, lambda: reviews.Outcome({"saved": 4}))                 # once; later visits see review.outcome
"""
