"""How fast is it? Scripts that measure and print tables; nothing here passes or fails."""
