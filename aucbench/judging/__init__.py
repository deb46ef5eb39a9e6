"""Results that others have measured, judged as those of our own runs are.

A file becomes a table of single values (`formats`), the values of one metric become evidence, and
`report` says the rest: the words, the tables, the page and the JSON are those of `compare`.
"""
