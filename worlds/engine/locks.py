"""Temporary stand-in until the fair lock lands: the helper who owns this file overwrites it."""

import threading

FairLock = threading.RLock
