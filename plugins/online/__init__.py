"""Methods that learn from one row after the other.

They minimise the pairwise square or a surrogate of it. Most of them are streaming methods: their
memory does not grow with the number of rows.
"""
