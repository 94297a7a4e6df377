"""How do accounts that a platform connects come to be, and how does money pass between them and it?"""
