"""Is the running node known on its own thread, and only there?"""

import threading

from tests.engine.workbench import lab, perform
from worlds.engine import active, installed


def test_the_active_node_is_this_thread_s_and_comes_off_in_order():
    assert active.current() is None
    outer = active.enter("one")
    inner = active.enter("two")
    seen = []
    thread = threading.Thread(target=lambda: seen.append(active.current()))
    thread.start()
    thread.join()
    assert (active.current(), seen) == ("two", [None])
    active.leave(inner)
    assert active.current() == "one"
    active.leave(outer)
    assert active.current() is None


def test_the_running_node_is_known_inside_a_call():
    with lab() as inst:
        node = perform(inst, lambda ctx: active.current())
    assert (node.path, node.world) == ("main", installed.get("lab"))
