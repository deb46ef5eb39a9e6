"""A results folder: a JSON document and a blob for each key.

    FOLDER/
      aucbench-results.json   the marker: format and schema
      cells/3f/3f....json     a shard: the document of one key, see `shard`
      scores/3f/3f....npz     its blob: an npz file
      index.json              some values of all documents, see `index`
      run.lock, run.json      locked while a run writes here, and which process that is
      aside/                  damaged shards, with the reason in their names
      tmp/                    files while they are written

Crashes, full disks and other hosts that use the folder do not damage what it holds.

Design
  a. A key is finished when its shard is in the folder; this is stored nowhere else. The index
     repeats what shards say, and can be deleted at any time.
  b. A file is written under another name, flushed to the disk, and renamed. (Rejected: a
     data base in one file. It can be lost or locked on network file systems, and git cannot
     merge it.)
  c. A damaged file is moved away and reported, and its key counts as missing.
  d. A folder that was moved or deleted while it was in use is not made again: it is an error.
  e. One run at a time computes what is missing. Everybody may read meanwhile.
"""

from aucbench.store.documents import DocumentStore
from aucbench.store.files import own_file, require_writable
from aucbench.store.shard import SCHEMA

__all__ = ["SCHEMA", "DocumentStore", "own_file", "require_writable"]
