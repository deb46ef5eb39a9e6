"""Descent of the AUM, the area under the minimum of false positives and false negatives.

Each step searches along a line. With labels the descent ends at a certified optimum. It also
learns the error functions of changepoint data.
"""
