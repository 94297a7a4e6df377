"""How do events reach the endpoints that want them?"""
