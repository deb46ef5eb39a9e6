"""What plugins do with finished results: metrics, report sections, exporters.

Each function of a plugin is called in a process of its own, which the parent starts and ends.
"""
