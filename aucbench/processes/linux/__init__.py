"""The supervisor of Linux: jobs are forked from a warm process, and the kernel keeps them apart.

Design
  a. The client starts a fork server. The fork server forks a job parent for each job that runs
     at the same time, and the job parent forks the job. The fork server is warm: it imports
     large libraries once, so that a job starts in milliseconds. A fresh interpreter would need
     seconds. Only the process of the job runs or imports what the job names. A job parent is
     used for several jobs, one after another: that halves the number of forks.
     Light steps run our own code only: one process, which is not forked again, does them for
     all jobs, see light_steps.py.
  b. A job parent is the sub-reaper of its job. A process that the job leaves behind becomes a
     child of the job parent, even if it has forked twice and has a session of its own. The job
     parent reports when it has no child left. The fork server is the sub-reaper of job parents
     that were killed.
  c. A process dies with its parent by PR_SET_PDEATHSIG. The fork server is the exception: that
     signal comes when the *thread* that started it ends, which is too early in a thread pool.
     The fork server watches the pidfd of the client and the end of its own stdin instead.
  d. Each process looks after the one below it that it waits for: it continues a job, a
     job parent, or a fork server that was stopped by a signal. A job that was killed by a signal
     which another one may have sent is run once more, with no other beside it.
  e. No process above that of a job reads a request, so that none of them has what another job was
     told in the memory that it hands on, see orders.py.
  f. Nothing that a job wrote is unpickled, and nothing is read before all its processes have
     ended. Results are JSON of limited size.
  g. No job can answer for another one or change what others get, whatever it does to files: what
     crosses between processes has no path. Answers come by a socket, see answers.py, and what is
     shared is a sealed file without a name, see fixed.py. A job has folders, but nobody reads
     them. Against signals of another job nothing helps that this user may do: the outcome says so.
"""
