"""The study of docs/study: its script, and the statistics that only its page needs."""
