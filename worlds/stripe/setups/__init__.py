"""How is a payment method made ready for later? One room for each step of a setup intent."""
