"""`aucbench new`: a package of one plugin that works, to be edited.

`new_package` of `aucbench.scaffold.package` writes it from the files of `templates/any` and
`templates/KIND`, whose names end in `.in`. `$name` and its like are replaced in their texts, and
PACKAGE, MODULE and `dot_` in their paths.
"""
