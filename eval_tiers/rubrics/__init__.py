"""Reports judged criterion by criterion: tasks, questions, verdicts, scores."""
