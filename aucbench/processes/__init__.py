"""Each job runs in a process of its own, under limits. Whatever it does, it ends as one `Outcome`.

    job, step, outcome    records.py
    what a function gets  room.py
    what it answers       answers.py
    how it is called      calling.py
    who runs it           supervisor.py: linux/, or portable/ on other systems; opening.py
    how a call ends       endings.py, metering.py
    calls that may crash  isolated.py
    the system, if asked  host.py

What a supervisor promises
  a. Only the process of a job runs or imports what the job names. It ends as one outcome: a result,
     an error, a timeout, too much memory, or a crash.
  b. Nothing that a job wrote is unpickled. Results are JSON of limited size.
  c. No process finds what another job was told.
  d. When the client ends, in whatever way, the other processes end too.
"""

from aucbench.processes.opening import open_supervisor
from aucbench.processes.records import Ending, Job, Limits, Outcome, Step
from aucbench.processes.supervisor import Supervisor

__all__ = ["Ending", "Job", "Limits", "Outcome", "Step", "Supervisor", "open_supervisor"]
