"""Does chance replay, and does each stream keep to itself?"""

import random
import statistics
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worlds.engine.chance import MAX_SEED, Ids, SeededRandom, Stream, instance_seed, node_seed
from worlds.engine.errors import WorldBug


def stream(label="x", seed=b"seed"):
    return Stream(seed, label)


# Seeds.


def test_a_seed_is_made_of_world_fixture_and_the_caller_s_number():
    seeds = [
        instance_seed(world, fixture, seed)
        for world in ("crm", "cr")
        for fixture in ("m", "", "big")
        for seed in (None, 0, 1, MAX_SEED)
    ]
    assert len(set(seeds)) == len(seeds)
    assert {len(seed) for seed in seeds} == {32}
    assert instance_seed("crm", "m", 1) == instance_seed("crm", "m", 1)


def test_seeds_stay_what_they_are_in_every_release():
    # Recorded runs replay only as long as these do not change.
    assert instance_seed("crm", "big_co", 7).hex() == "094535064e76776c0412a331e4e7f9905c7ab8982010296bda9f0f207a6d61c5"
    assert stream().take(8).hex() == "cca8d3e0b2fe9eb1"
    assert Ids(stream("ids")).uuid() == "83b330d1-42ee-4732-a1b4-5013ab141286"
    assert SeededRandom(stream("python")).random() == 0.39055008437037164


@pytest.mark.parametrize("seed", [-1, 2**64, True, 1.0, "7", b"7"], ids=repr)
def test_a_seed_that_is_no_number_of_eight_bytes_is_refused(seed):
    with pytest.raises(WorldBug, match=r"seed is .*; it must be an integer from 0 to 18446744073709551615"):
        instance_seed("crm", None, seed)


def test_a_node_has_a_seed_of_its_own_and_the_root_keeps_its():
    seed = instance_seed("crm", None, 1)
    assert node_seed(seed, "main") == seed
    assert len({seed, node_seed(seed, "payments"), node_seed(seed, "mail"), node_seed(b"other", "mail")}) == 4


# Streams.


@given(st.lists(st.integers(0, 300), max_size=10))
def test_a_stream_goes_on_from_its_position_alone(sizes):
    original = stream()
    for size in sizes:
        original.take(size)
    twin = stream()
    twin.position = original.position
    assert [original.take(n) for n in (3, 64, 65, 1000)] == [twin.take(n) for n in (3, 64, 65, 1000)]


@given(st.integers(0, 400))
def test_a_stream_gives_as_many_bytes_as_are_asked_for(n):
    assert len(stream().take(n)) == n


def test_streams_of_other_seeds_and_labels_have_nothing_in_common():
    blocks = [Stream(seed, label).take(64) for seed in (b"a", b"b") for label in ("ids", "sql", "python")]
    one = stream()
    blocks += [one.take(64) for _ in range(50)]
    assert len(set(blocks)) == 56


@given(st.integers(1, 200))
def test_an_integer_has_no_more_bits_than_were_asked_for(bits):
    source = stream()
    drawn = [source.integer(bits) for _ in range(40)]
    assert 0 <= min(drawn) <= max(drawn) < 2**bits
    assert any(n >> (bits - 1) for n in drawn)


# Python's randomness.


def test_every_method_of_the_standard_class_replays_and_is_in_range():
    def draws(seed):
        rng = SeededRandom(Stream(seed, "python"))
        deck = list(range(20))
        rng.shuffle(deck)
        return [
            rng.random(), rng.randint(1, 6), rng.randrange(0, 100, 5), rng.choice("abc"), rng.choices(range(9), k=5),
            rng.sample(range(50), 10), rng.uniform(2, 3), rng.gauss(0, 1), rng.normalvariate(0, 1), rng.triangular(),
            rng.betavariate(1, 2), rng.expovariate(1), rng.getrandbits(100), rng.randbytes(7), deck,
        ]  # fmt: skip

    first = draws(b"1")
    assert first == draws(b"1")
    assert first != draws(b"2")
    assert 0 <= first[0] < 1
    assert 1 <= first[1] <= 6
    assert first[2] % 5 == 0
    assert len(set(first[5])) == 10
    assert len(first[13]) == 7
    assert sorted(first[14]) == list(range(20)) != first[14]


def test_random_numbers_are_spread_evenly():
    rng = SeededRandom(stream())
    floats = [rng.random() for _ in range(10_000)]
    assert abs(statistics.fmean(floats) - 0.5) < 0.02
    dice = [rng.randint(1, 6) for _ in range(6000)]
    assert all(850 < dice.count(face) < 1150 for face in range(1, 7))
    normal = [rng.gauss(10, 2) for _ in range(4000)]
    assert abs(statistics.fmean(normal) - 10) < 0.2
    assert abs(statistics.stdev(normal) - 2) < 0.2


def test_no_state_hides_outside_the_stream():
    """`gauss` of the standard class keeps half of a pair, which a fork would lose."""
    source = stream()
    rng = SeededRandom(source)
    rng.gauss(0, 1)
    twin_source = stream()
    twin_source.position = source.position
    twin = SeededRandom(twin_source)
    assert [rng.gauss(0, 1) for _ in range(3)] == [twin.gauss(0, 1) for _ in range(3)]


def test_nobody_can_seed_or_set_it():
    rng = SeededRandom(stream())
    before = rng.getstate()
    for seed in (None, 0, 7, "x"):
        with pytest.raises(WorldBug, match="ctx.random is seeded by the instance; pass seed="):
            rng.seed(seed)
    with pytest.raises(WorldBug, match=r"use inst.rewind\(\)"):
        rng.setstate(before)
    assert rng.getstate() == before


def test_the_host_s_randomness_is_not_touched():
    random.seed(1)
    expected = random.random()
    random.seed(1)
    SeededRandom(stream()).shuffle(list(range(100)))
    assert random.random() == expected


def test_odd_requests_are_as_in_the_standard_class():
    rng = SeededRandom(stream())
    assert rng.getrandbits(0) == 0
    assert rng.randbytes(0) == b""
    with pytest.raises(ValueError, match="non-negative"):
        rng.getrandbits(-1)
    with pytest.raises(IndexError):
        rng.choice([])


# Ids.


def test_uuids_are_of_version_four_and_never_alike():
    ids = Ids(stream())
    drawn = [ids.uuid() for _ in range(1000)]
    assert len(set(drawn)) == 1000
    assert {uuid.UUID(text).version for text in drawn} == {4}
    assert all(str(uuid.UUID(text)) == text for text in drawn)
    again = Ids(stream())
    assert [again.uuid() for _ in range(5)] == drawn[:5]


@given(st.integers(0, 200), st.text(min_size=1, max_size=256, alphabet=st.characters(codec="utf-8")))
def test_a_token_is_as_long_as_asked_and_of_its_alphabet(length, alphabet):
    token = Ids(stream()).token(length, alphabet)
    assert len(token) == length
    assert set(token) <= set(alphabet)


def test_every_character_of_an_alphabet_is_as_likely():
    token = Ids(stream()).token(62_000)
    counts = [token.count(character) for character in sorted(set(token))]
    assert len(counts) == 62
    assert 800 < min(counts) <= max(counts) < 1200


@pytest.mark.parametrize("alphabet", ["", "".join(map(chr, range(257)))])
def test_an_alphabet_that_no_byte_can_choose_from_is_refused(alphabet):
    with pytest.raises(WorldBug, match="an alphabet has 1 to 256 characters"):
        Ids(stream()).token(5, alphabet)


def test_ids_have_a_random_of_their_own_stream():
    source = stream()
    ids = Ids(source)
    assert ids.random is ids.random
    before = source.position
    ids.random.random()
    assert source.position == before + 1
