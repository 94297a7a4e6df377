"""What an instance did: moves shown, seen again as they were, and set side by side."""
