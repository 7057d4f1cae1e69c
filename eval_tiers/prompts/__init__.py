"""What a model is asked: messages and reply schema, one benchmark format a file."""
