"""Each job runs in a process of its own, under limits. Whatever it does, it ends as one `Outcome`.

    job, outcome          records.py
    one job to its end    supervisor.py
    several jobs          isolated.py
    how a process starts  starting.py: forked from a warm one (fork_server.py), or a new one
    what it does          child.py
    what it says          hearing.py
    all that it started   family.py
    closed folders        landlock.py
    the system, if asked  host.py
    temporary folders     scratch.py

What a supervisor promises
  a. Only the process of a job runs or imports what the job names. It ends as one outcome: a result,
     an error, a timeout, too much memory, or a crash. Nothing that it has started is left.
  b. Nothing that a job wrote is unpickled. Results are JSON of limited size.
  c. When the client ends, in whatever way, the other processes end too.
"""

from aucbench.processes.records import Ending, Fence, Job, Limits, Outcome
from aucbench.processes.supervisor import Supervisor

__all__ = ["Ending", "Fence", "Job", "Limits", "Outcome", "Supervisor"]
