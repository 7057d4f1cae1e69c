"""Plug-ins: one graph format a file, each with a `KGSource` named ``SOURCE``."""
