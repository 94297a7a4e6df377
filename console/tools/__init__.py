"""Forms of tools: what a JSON Schema asks for, shown, filled in and read again."""
