"""Template tags of facts."""

from django import template

from dashboard.facts.cells import fact_href, need_href

register = template.Library()
register.simple_tag(fact_href)
register.simple_tag(need_href)
