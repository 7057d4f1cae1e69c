"""PLUG-INS, one benchmark format a file; `registry` finds them by scanning this folder."""
