"""Does it hold?"""
