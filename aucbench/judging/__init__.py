"""Tables of results that others have measured: their formats, and the values that are judged.

A table becomes one of single values (`formats`), and those of one metric are sorted by data set,
method and fold (`values`). `report` says the rest in the words of `compare`.
"""
