"""What is there for programs that speak plain HTTP: worlds, fixtures, instances, and all that can be done to them."""
