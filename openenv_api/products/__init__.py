"""How does a product's own SDK reach the worlds of this server?"""
