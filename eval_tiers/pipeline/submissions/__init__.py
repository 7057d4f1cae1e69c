"""Submissions: inspected, judged, graded, packed."""
