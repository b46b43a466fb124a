"""What was asked, stored and shown is the same in number, or an error says so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from personae.engine.ask import Asker
from personae.engine.counting import check_shown, check_stored, check_whole
from personae.engine.keys import escaped, item_key
from personae.engine.scheduler import run_items
from personae.engine.store import Store
from personae.errors import Damaged, NotKept
from personae.types import Condition, Item


async def test_a_sitting_whose_answers_are_all_stored_passes(tiny: Any, scripted: Any, store: Store) -> None:
    study = tiny(6, asks=2)
    for sitting in range(2):
        asker = Asker("m", store, model=scripted(), concurrency=2)
        done = await run_items(study, study.items(), asker, window=2)
        check_stored(store, "m", study, before=12 * sitting, asked=asker.asked, done=done)
    check_shown(store, items=6, answers=12)


async def test_an_answer_that_is_not_in_the_store_is_an_error_with_both_numbers(
    tiny: Any, scripted: Any, store: Store
) -> None:
    study = tiny(6)
    asker = Asker("m", store, model=scripted())
    done = await run_items(study, study.items(), asker, window=2)
    store.flush()
    with store.writer.at_once() as writing:
        writing.execute("DELETE FROM response WHERE key LIKE '%000003#%'")
    with pytest.raises(NotKept, match=r"6 answers of m came to tiny\.count in this sitting, and 5"):
        check_stored(store, "m", study, before=0, asked=asker.asked, done=done)
    with pytest.raises(NotKept, match="5 answers are stored and 6 are shown"):
        check_shown(store, items=6, answers=6)


async def test_two_items_with_one_key_are_an_error(tiny: Any, scripted: Any, store: Store) -> None:
    study = tiny(0)

    def items() -> Iterator[Item]:
        for number in (1, 2, 2):
            yield Item(study=study.name, id=f"{number}", stimulus="s", condition=Condition())

    asker = Asker("m", store, model=scripted())
    done = await run_items(study, items(), asker, window=1)
    with pytest.raises(NotKept, match=r"3 items .* 2 are stored: two items have the same key|2 more than before"):
        check_stored(store, "m", study, before=0, asked=asker.asked, done=done)


async def test_nothing_is_asked_into_a_store_with_a_damaged_answer(tiny: Any, scripted: Any, store: Store) -> None:
    study = tiny(3)
    await run_items(study, study.items(), Asker("m", store, model=scripted()), window=1)
    store.flush()
    check_whole(store)
    with store.writer.at_once() as writing:
        writing.execute("UPDATE response SET text='another' WHERE key LIKE '%000001#%'")
    store.__dict__.pop("damage", None)
    with pytest.raises(Damaged, match=r"000001#s0/0.*personae repair"):
        check_whole(store)


def test_every_name_has_a_key_of_its_own() -> None:
    parts = ["a", "#", "%", "2", "3", "5", "23", "25"]
    names = {"".join((one, two, three, four)) for one in parts for two in parts for three in parts for four in parts}
    assert len({escaped(name) for name in names}) == len(names)
    assert not any("#" in escaped(name) for name in names)


@pytest.mark.parametrize("name", ["wife.play", "100 %", "50%2", "a/b@3"])
def test_names_without_what_must_be_escaped_keep_the_keys_they_had(name: str) -> None:
    item = Item(study="tiny.count", id=name, stimulus="s", condition=Condition())
    assert item_key(item, 1) == f"tiny.count@1/{name}"
