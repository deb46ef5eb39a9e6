"""What plugins do with finished results: the values of metrics.

Each function of a plugin is called in a process of its own, which the parent starts and ends.
"""
