"""What the parent computes numbers with: it keeps the targets of test rows, and measures.

The parent runs this room, but its code counts in the ids of cells: another measure gives other
numbers. No worker imports it.
"""
