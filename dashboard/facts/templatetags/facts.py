"""Template tags of facts."""

from django import template

from dashboard.facts.cells import need_href

register = template.Library()
register.simple_tag(need_href)
