"""What was asked, what came, what is stored and what is shown are the same in number, or it is an error."""

from __future__ import annotations

from personae.engine.store import Store
from personae.errors import Damaged, NotKept
from personae.study.base import Study


def check_whole(store: Store) -> None:
    """Refuse to ask into a store in which an answer is no longer what was written.

    Raises
    ------
    Damaged
        Naming it, and what to do.
    """
    if not store.empty and store.damage.of("response"):
        said = "; ".join(store.damage.sentences())
        raise Damaged(f"{said}: `personae repair {store.path.parent} -o NEW` saves the others and asks these again")


def check_stored(store: Store, model: str, study: Study, *, before: int, asked: int, done: int) -> None:
    """Compare what a sitting has done with what lies in the store.

    Parameters
    ----------
    model : str
        The respondent.
    before : int
        Answers of the study that lay there when the sitting began.
    asked : int
        Answers that came since.
    done : int
        Items that came to an outcome.

    Raises
    ------
    NotKept
        Where they differ, with both numbers: an answer was lost, or two of them have one key.
    """
    store.flush()
    prefix = f"{study.name}@{study.version}"
    answers, outcomes = store.count("response", model, prefix), store.count("outcome", model, prefix)
    if answers != before + asked:
        raise NotKept(
            f"{asked:,} answers of {model} came to {study.name} in this sitting, and {answers - before:,} more than "
            "before are stored: something else has written to run.db"
        )
    if outcomes != done:
        raise NotKept(
            f"{done:,} items of {study.name} came to an outcome for {model}, and {outcomes:,} are stored: two items "
            "have the same key, or something else has written to run.db"
        )


def check_shown(store: Store, *, items: int, answers: int) -> None:
    """Compare what a page shows with what lies in the store, less what is damaged.

    Raises
    ------
    NotKept
        Where they differ, with both numbers.
    """
    for what, table, shown in (("items", "outcome", items), ("answers", "response", answers)):
        stored = store.rows(f"SELECT count(*) FROM {table}")[0][0] - len(store.damage.of(table))
        if stored != shown:
            raise NotKept(f"{stored:,} {what} are stored and {shown:,} are shown: run.db was written to meanwhile")
