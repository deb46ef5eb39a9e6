"""The site of a board: static pages of a results folder, which any web server or a disk shows.

Design
  a. A page is one file with its styles and its scripts, as the page of a report is, and looks like
     that one: tables, figures and colours are the same templates and scripts. Only links lead from
     one file to another.
  b. The tables are in the HTML. A script sorts and filters them; where a filter is on, means and
     ranks are computed in the browser, and the words of the verdict, which are about all tasks,
     are put away.
  c. Records count as they are, whatever has changed since: a board joins results of several
     versions, and says of each where it comes from.
  d. The folder is made anew as a whole (`store.trees`).
"""
