"""The shots of the lecture, one module a topic and one class a shot."""
