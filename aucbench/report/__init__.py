"""How results look: the HTML page, figures for print, and the server that shows a run.

It reads records and calls `aucbench.stats`; it computes no statistic itself.
"""
