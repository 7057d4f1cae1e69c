"""Timings of the package against the slow reading; see docs/performance.md."""
