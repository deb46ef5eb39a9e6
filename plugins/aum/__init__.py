"""Descent of the area under the minimum of false positives and false negatives, line by line.

With labels it ends at a certified optimum; error functions of changepoint data are learnt too.
"""
