"""Rows and tables of an instance: read, shown, asked for, drawn."""
