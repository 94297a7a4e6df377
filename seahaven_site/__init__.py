"""How are the parts wired into one server?"""
