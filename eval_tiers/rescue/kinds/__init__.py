"""Kinds of question, one a file: every module here that defines ``KIND``."""
