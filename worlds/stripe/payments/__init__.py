"""How does money come in, go back and go out? One room for each step of a payment."""
