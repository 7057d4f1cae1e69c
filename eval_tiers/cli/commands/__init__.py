"""One file a command (or command group): each defines ``command``, a click command.

Modules here import nothing heavy at the top, so that ``--help`` starts fast.
"""
