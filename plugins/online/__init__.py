"""Methods that learn from one row after the other, of the pairwise square or a surrogate of it.

Most of them stream: their memory does not grow with the rows.
"""
