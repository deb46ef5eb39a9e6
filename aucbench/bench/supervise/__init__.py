"""Jobs in processes of their own, under limits: whatever a job does, it ends as one `Outcome`.

Design
  a. client -> zygote -> a guard for each job in flight -> the job. The zygote is warm (the
     scientific stack is imported once) and forks guards, which fork jobs; a fresh interpreter
     would cost seconds, not milliseconds. Neither runs, or imports, what a job asks for. A
     guard is used again: that halves the number of forks.
  b. A guard is the sub-reaper of its job: a process that the job leaves behind, though it
     forked twice and has a session of its own, becomes a child of the guard, which reports only
     when it has no child left. The zygote is the sub-reaper of guards that were killed.
  c. Downwards processes die by PR_SET_PDEATHSIG, except the zygote: that signal comes when
     the *thread* that started it ends, which in a worker of a pool is too early. The zygote
     watches the client's pidfd and the end of file on its own stdin instead.
  d. Nothing that a job wrote is unpickled, and nothing is read before all its processes are
     gone: results are JSON files of bounded size.
"""

from aucbench.bench.supervise.client import STACK, Supervisor
from aucbench.bench.supervise.records import Ending, Job, Limits, Outcome, Step

__all__ = ["STACK", "Ending", "Job", "Limits", "Outcome", "Step", "Supervisor"]
