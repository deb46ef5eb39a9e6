"""Results that several people computed: `submit` hands some over, `merge` joins them.

Design
  a. Nothing of a folder of somebody else is executed, imported or unpickled: names of its plugins,
     data sets and features are text. Only data sets of the first folder are read, by name.
  b. What can be computed again is: the test rows of a split, the measure of its scores, the sizes.
     What cannot, such as times and objectives, stays what somebody reported. See docs/board.md.
  c. The first folder says the protocol. Another one agrees with it, or is refused as a whole.
  d. A merged folder is complete, or can be merged again: its plans are written last.
"""
