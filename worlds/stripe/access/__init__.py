"""Who may ask for what: the permissions of keys, the products an account has, the operations agents are offered."""
