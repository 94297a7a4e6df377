"""What is a world's linter made of? A rule a module, run by `linting`; `worlds.engine.checks` hands them to Django."""
