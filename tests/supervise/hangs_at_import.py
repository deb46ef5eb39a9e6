"""A module whose import does not end."""

from time import sleep

sleep(600)
