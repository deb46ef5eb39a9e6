"""The study of the documents: its tasks, its protocol, and its published means.

`plans` makes the plans of tasks.csv and protocol.toml, so that the study and `aucbench study` run
one protocol.
"""
