"""Knowledge graphs: signed edges from many formats, and one compiled index over them.

Pure: bytes and a path for messages go in, edge tables and graphs come out. Files are opened in
`eval_tiers.io.graphs`.
"""
