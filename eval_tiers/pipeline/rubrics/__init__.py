"""Rubric judging over files: tasks and reports checked, exported, merged, scored, compared."""
