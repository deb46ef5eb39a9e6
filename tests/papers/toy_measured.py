"""What the measurements of the tests call: found by PYTHONPATH, in processes of their own."""

import os
import signal
import time
from pathlib import Path


def count(data, *, n, folder, seconds=0.0):
    """Tell that it began, and return the number of rows."""
    with (Path(folder) / f"{n}").open("a") as file:
        file.write(f"{os.getpid()}\n")
    time.sleep(seconds)
    return {"rows": data.n, "n": n}


def fail(data, *, how, folder):
    """Tell that it began, and end without a result."""
    with (Path(folder) / how).open("a") as file:
        file.write(f"{os.getpid()}\n")
    if how == "crash":
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "timeout":
        time.sleep(60)
    if how == "memout":
        return {"size": len(bytearray(2**31))}
    raise ValueError("it did not like the rows")
