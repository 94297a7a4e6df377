"""How does Django reach a store? A database backend on APSW; settings name it `worlds.engine.db`."""
