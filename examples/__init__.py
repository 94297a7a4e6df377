"""What is it like to use this? Programs to run and to begin from."""
