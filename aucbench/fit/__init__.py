"""The worker: what the processes of a cell do, from reading the rows to scoring the test rows."""
