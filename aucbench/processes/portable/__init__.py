"""The supervisor of any system: each call has a fresh interpreter, which is watched by looking.

Design
  a. The client starts an interpreter for each call, and a thread that follows it. The interpreter
     imports what jobs need, and then gets its call. Nothing is forked, so that nothing is
     inherited: what a job was told is in its process and in the client only.
  b. Requests and answers cross pipes. What a step keeps is a file in the folder of the supervisor,
     which jobs map; a change of it is found out, not prevented.
  c. Time and memory are looked at by psutil, up to a hundred times a second. What a process takes
     between two looks is not seen, and no allocation is refused.
  d. At the end of a call all processes are killed that are its children, that were seen as such,
     that are in its group, or that carry its mark in their environment.
  e. A process of its own, the keeper, waits for the end of the client, and ends what is left.
  f. Light steps are done by one interpreter, one after another, as on Linux.
"""
