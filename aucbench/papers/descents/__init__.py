"""The descents of figures 5 and 6: all on which their numbers depend, and nothing else.

What the harness keeps of a measurement counts as long as no file of this package changes.
"""
