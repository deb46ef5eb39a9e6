"""Rows in chunks: Parquet files, and text files that become Parquet.

Design
  a. A part is a row group of a Parquet file. So the files alone decide the parts, and not the
     memory, the threads or the workers.
  b. Before a row is read, the footers say whether all files have the same columns. Labels are
     counted from their own column, so that the classes are those of all files.
  c. A part is decoded in the process that computes with it, which is supervised in a fit.
     (Rejected: decoding elsewhere. Each reading would copy all bytes once more.)
  d. Each reading first compares size, time and footer of the file with what was opened.
"""

from aucbench.datasets.chunked.opening import open_parts

__all__ = ["open_parts"]
