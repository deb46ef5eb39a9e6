"""What the tests of `in_turn` call, in processes of their own."""

import os


def do_in_turn(request, room, steps):
    """Do things, [key, what happens then] each, and say so as `in_turn` wants it."""
    for key, then in request["things"]:
        room.line({"begin": key})
        if then == "inside":
            os._exit(1)
        room.line({"end": key.upper()})
        if then == "after":
            os._exit(1)
    return {}
