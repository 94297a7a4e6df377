"""How does Stripe World answer a request? One room for each step, from the bytes to the answer."""
