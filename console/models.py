"""What does the control database keep for the console?"""
