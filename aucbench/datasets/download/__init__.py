"""Download data files from http and https into the user's cache; their sha256 must match.

Policies
  a. Content: a file is returned only if its sha256 is the wanted one, also when it was in the
     cache before. Another content is removed, and the next mirror is asked.
  b. Addresses: http and https only. At most 5 redirects; none from https to http, and none from
     a public address to a private one, see `rules`. An address that was given may be private.
  c. Patience: a server may need 30 s to connect, and may be silent for 30 s.
  d. Size: a body ends with an error when it exceeds the size of the file, or 20 GB if the size
     is not known.
  e. Interruption: what came is kept in NAME.part. The next call asks for the rest, or for all of
     it if the server cannot continue.
  f. Two processes: one downloads, and the other waits and uses the result, see `cache`.

pooch has the place of the cache. Its downloader lacks mirrors, resuming, locks and rules for
addresses; so requests, on which pooch is built, is used directly.
"""

from aucbench.datasets.download.cache import (
    CACHE,
    RemoteFile,
    cache_folder,
    cached_path,
    fetch,
    fetch_files,
)
from aucbench.datasets.download.rules import is_url

__all__ = [
    "CACHE",
    "RemoteFile",
    "cache_folder",
    "cached_path",
    "fetch",
    "fetch_files",
    "is_url",
]
