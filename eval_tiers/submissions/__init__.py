"""What an agent handed in: what code can check of it, what a judge says, the score."""
