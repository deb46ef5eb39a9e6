"""Jobs in processes of their own, under limits: whatever a job does, it ends as one `Outcome`.

Design
  a. client -> fork server -> a job parent for each job in flight -> the job. The fork server
     is warm (it imports the scientific stack once) and forks job parents, which fork jobs; a
     fresh interpreter would cost seconds, not milliseconds. Neither runs, or imports, what a
     job asks for. A job parent is used again: that halves the number of forks.
  b. A job parent is the sub-reaper of its job: a process that the job leaves behind, though it
     forked twice and has a session of its own, becomes a child of the job parent, which reports
     only when it has no child left. The fork server is the sub-reaper of job parents that were
     killed.
  c. Downwards processes die by PR_SET_PDEATHSIG, except the fork server: that signal comes when
     the *thread* that started it ends, which in a worker of a pool is too early. The fork server
     watches the client's pidfd and the end of file on its own stdin instead.
  d. Nothing that a job wrote is unpickled, and nothing is read before all its processes are
     gone: results are JSON files of bounded size.
"""

from aucbench.infra.supervise.client import Supervisor
from aucbench.infra.supervise.records import Ending, Job, Limits, Outcome, Step

__all__ = ["Ending", "Job", "Limits", "Outcome", "Step", "Supervisor"]
