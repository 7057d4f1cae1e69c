"""The only code that opens files (with ``inference`` and ``cli``)."""
