#!/usr/bin/env python3
"""Train the table of related words from pairs of sentences and code.

    spyhop-eval related-pairs MIRRORS --out pairs.tsv
    python3 eval/related.py pairs.tsv src/index/related/related.relw [--epochs 3] [--seed 1]

The pairs are those of `spyhop-eval related-pairs`, a line each: kind, repository, stems of the sentence, stems of the code, the
sentence. The table is trained as a retriever: each stem gets a vector and two weights, one in a question and one in a text; the score
of a text for a question is `tau * cosine + beta * BM25`, and the loss is the cross entropy of the right text among those of the
batch, which are all of one repository. In most pairs a part of the words that the question shares with its text is taken out of the
text, or the table would learn nothing that BM25 does not know. The vectors start as the PPMI of the pairs, reduced by a randomized
SVD; one rate for all rows keeps rare words near their start.

Every 23rd repository is kept back; the script prints the mean reciprocal rank of its pairs, as they are and with all shared words
taken out. It needs numpy and scipy, and prints the same figures for the same pairs, seed and libraries. `src/index/related/mod.rs`
has the format of the table.
"""

import argparse
import collections
import pathlib
import struct

import numpy as np
import scipy.sparse as sp

WIDTH = 128
STEMS = 20_283
MIN_REPOSITORIES = 3
BATCH = 1024
RATE = 0.002
MASKED = 0.85
HELD_OUT = 23


class Pairs:
    """The pairs as matrices: a row for each pair, a column for each stem."""

    def __init__(self, path):
        counts, spread, rows = collections.Counter(), collections.defaultdict(set), []
        repositories = {}
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                _, repository, question, text, _ = line.rstrip("\n").split("\t")
                number = repositories.setdefault(repository, len(repositories))
                question, text = collections.Counter(question.split()), collections.Counter(text.split())
                rows.append((number, question, text))
                for stem in question.keys() | text.keys():
                    counts[stem] += 20 + 4 * (stem in question)
                    spread[stem].add(number)
        kept = [stem for stem in counts if len(spread[stem]) >= MIN_REPOSITORIES]
        kept.sort(key=lambda stem: (-counts[stem], stem))
        self.stems = sorted(kept[:STEMS])
        place = {stem: at for at, stem in enumerate(self.stems)}
        rows = [row for row in rows if all(sum(stem in place for stem in side) >= 2 for side in row[1:])]
        self.repository = np.array([number for number, _, _ in rows])
        self.question = matrix([question for _, question, _ in rows], place)
        self.text = matrix([text for _, _, text in rows], place)
        self.is_held_out = self.repository % HELD_OUT == HELD_OUT - 1


def matrix(rows, place):
    """The counts of the known stems of each row."""
    ends, columns, values = [0], [], []
    for row in rows:
        known = sorted((place[stem], count) for stem, count in row.items() if stem in place)
        columns += [at for at, _ in known]
        values += [min(count, 255) for _, count in known]
        ends.append(len(columns))
    return sp.csr_matrix((np.array(values, np.float32), columns, ends), shape=(len(rows), len(place)))


def start(pairs, rng):
    """Vectors from the PPMI of a question's stems with a text's, reduced by a randomized range finder."""
    question, text = (part[~pairs.is_held_out].sign() for part in (pairs.question, pairs.text))
    together = question.T @ text
    together = (together + together.T + question.T @ question).tocoo()
    often = together.data >= 3
    row, column, count = together.row[often], together.col[often], together.data[often]
    n = len(pairs.stems)
    total = count.sum()
    of_row, of_column = np.bincount(row, count, n) + 1, np.bincount(column, count, n) + 1
    expected = of_row[row] * of_column[column] ** 0.75 * total / (of_column**0.75).sum()
    value = np.log(count * total / expected) - 0.7
    positive = value > 0
    ppmi = sp.csr_matrix((value[positive].astype(np.float32), (row[positive], column[positive])), shape=(n, n))
    basis = ppmi @ rng.standard_normal((n, WIDTH + 32)).astype(np.float32)
    for _ in range(3):
        basis = ppmi @ (ppmi.T @ np.linalg.qr(basis)[0])
    basis = np.linalg.qr(basis)[0]
    left, singular, _ = np.linalg.svd((ppmi.T @ basis).T, full_matrices=False)
    vectors = (basis @ left)[:, :WIDTH] * np.sqrt(singular[:WIDTH])
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors /= length + 0.1 * np.median(length) + 1e-9
    empty = length[:, 0] == 0
    vectors[empty] = rng.standard_normal((empty.sum(), WIDTH)) * 0.01
    return (vectors / np.linalg.norm(vectors, axis=1).mean()).astype(np.float32)


class Side:
    """One side of a batch: its vectors of length 1, and the way back to the rows of the table."""

    def __init__(self, counts, weight, vectors):
        self.used, columns = np.unique(counts.indices, return_inverse=True)
        self.counts = sp.csr_matrix((counts.data, columns, counts.indptr), shape=(counts.shape[0], len(self.used)))
        self.weight, self.vectors = weight[self.used][:, None], vectors[self.used]
        whole = self.counts @ (self.weight * self.vectors)
        self.length = np.linalg.norm(whole, axis=1, keepdims=True) + 1e-6
        self.unit = whole / self.length

    def gradients(self, of_unit):
        """The gradients of the vectors and of the weights."""
        of_whole = (of_unit - self.unit * (of_unit * self.unit).sum(1, keepdims=True)) / self.length
        of_rows = self.counts.T @ of_whole
        return self.weight * of_rows, (of_rows * self.vectors).sum(1)


class Trainer:
    """The table while it is trained."""

    def __init__(self, pairs, seed):
        self.pairs, self.rng = pairs, np.random.default_rng(seed)
        self.vectors = start(pairs, self.rng)
        holding = np.bincount(pairs.text.indices, minlength=len(pairs.stems))
        self.idf = np.log(1 + pairs.text.shape[0] / (holding + 10.0)).astype(np.float32)
        self.of_question = self.idf / self.idf.mean()
        self.of_text = self.of_question.copy()
        self.tau, self.beta = 18.0, 0.25
        self.square, self.squares = None, [np.full(len(pairs.stems), 1e-8, np.float32) for _ in range(2)]
        self.tau_square = self.beta_square = 1e-3

    def batches(self, rows):
        """The rows in blocks of one repository, the blocks shuffled."""
        order = self.rng.permutation(rows)
        order = order[np.argsort(self.pairs.repository[order], kind="stable")]
        blocks = [order[at : at + BATCH] for at in range(0, len(order), BATCH)]
        self.rng.shuffle(blocks)
        return [block for block in blocks if len(block) >= BATCH // 4]

    def masked(self, question, text):
        """The texts without a part of the words that they share with their questions."""
        lot = self.rng.random(text.shape[0])
        share = np.where(lot < MASKED, 0.5 + 0.5 * self.rng.random(len(lot)), 0.0)
        row = np.repeat(np.arange(text.shape[0]), np.diff(text.indptr))
        common = np.asarray(question.sign()[row, text.indices]).ravel() > 0
        out = common & (self.rng.random(len(row)) < share[row])
        kept = text.copy()
        kept.data[out] = 0
        kept.eliminate_zeros()
        return kept

    def bm25(self, question, text):
        length = np.asarray(text.sum(1)).ravel() + 1e-6
        norm = 1.2 * (0.25 + 0.75 * length / length.mean())
        weighed = text.copy()
        weighed.data = text.data * 2.2 / (text.data + np.repeat(norm, np.diff(text.indptr)))
        return (question.sign().multiply(self.idf).tocsr() @ weighed.T).toarray().astype(np.float32)

    def sides(self, question, text):
        text = text.copy()
        text.data = np.log1p(text.data)
        question = question.copy()
        question.data = np.minimum(question.data, 2)
        return Side(question, self.of_question, self.vectors), Side(text, self.of_text, self.vectors)

    def step(self, rows, left):
        """One batch; `left` is the part of the training that is left, by which the rates fall. Returns the loss."""
        question = self.pairs.question[rows]
        text = self.masked(question, self.pairs.text[rows])
        asked, held = self.sides(question, text)
        cosine, lexical = asked.unit @ held.unit.T, self.bm25(question, text)
        right = np.eye(len(rows), dtype=np.float32)
        by_question = softmax(self.tau * cosine + self.beta * lexical, 1)
        loss = -np.log(np.diag(by_question) + 1e-9).mean()
        by_text = softmax(self.tau * cosine, 0)
        gradient = (by_question - right + 0.5 * (by_text - right)) / len(rows)
        for side, of_unit in ((asked, gradient @ held.unit), (held, gradient.T @ asked.unit)):
            of_vectors, of_weight = side.gradients(self.tau * of_unit)
            mean = float((of_vectors**2).mean())
            self.square = mean if self.square is None else 0.98 * self.square + 0.02 * mean
            change = np.clip(of_vectors / np.sqrt(self.square + 1e-12), -8, 8)
            self.vectors[side.used] -= RATE * (left + 0.003) * change
            at = 0 if side is asked else 1
            weight = (self.of_question, self.of_text)[at]
            self.squares[at][side.used] += of_weight**2
            weight[side.used] -= 0.024 * left * of_weight / np.sqrt(self.squares[at][side.used])
            np.maximum(weight, 0.02, out=weight)
        of_beta, of_tau = float((gradient * lexical).sum()), float((gradient * cosine).sum())
        self.beta_square += of_beta**2
        self.tau_square += of_tau**2
        self.beta = max(0.02, self.beta - 0.01 * of_beta / self.beta_square**0.5)
        self.tau = min(40.0, max(5.0, self.tau - 0.1 * of_tau / self.tau_square**0.5))
        return loss

    def judged(self):
        """The mean reciprocal rank of the pairs that are kept back: as they are, and without shared words."""
        plain, bare = [], []
        for repository in np.unique(self.pairs.repository[self.pairs.is_held_out]):
            rows = np.nonzero(self.pairs.repository == repository)[0][:1200]
            question, text = self.pairs.question[rows], self.pairs.text[rows]
            asked, held = self.sides(question, text)
            scores = asked.unit @ held.unit.T
            plain.append(reciprocal(scores, np.diag(scores)))
            apart = text - text.multiply(question.sign())
            apart.eliminate_zeros()
            own = (asked.unit * self.sides(question, sp.csr_matrix(apart))[1].unit).sum(1)
            bare.append(reciprocal(scores, own))
        return (np.mean(plain), np.mean(bare)) if plain else (0.0, 0.0)

    def train(self, epochs):
        rows = np.nonzero(~self.pairs.is_held_out)[0]
        total, done, mean = max(1, int(epochs * len(self.batches(rows)))), 0, None
        while done < total:
            for batch in self.batches(rows)[: total - done]:
                loss = self.step(batch, 1 - done / total)
                mean = loss if mean is None else 0.98 * mean + 0.02 * loss
                done += 1
                if done % 200 == 0 or done == total:
                    print(f"{done} of {total}: loss {mean:.3f}, tau {self.tau:.1f}, beta {self.beta:.2f}", flush=True)
        print("kept back: reciprocal rank %.4f, without shared words %.4f" % self.judged())

    def write(self, path):
        rows = self.of_text[:, None] * self.vectors
        scale = np.maximum(np.abs(rows).max(1), 1e-9) / 127
        stems = "\n".join(self.pairs.stems).encode()
        with open(path, "wb") as out:
            out.write(b"RELW" + struct.pack("<HHII", 1, WIDTH, len(rows), len(stems)) + stems)
            out.write(scale.astype("<f4").tobytes())
            out.write((self.of_question / np.maximum(self.of_text, 1e-3)).astype("<f2").tobytes())
            out.write(np.round(rows / scale[:, None]).astype(np.int8).tobytes())


def softmax(scores, axis):
    exponents = np.exp(scores - scores.max(axis, keepdims=True))
    return exponents / exponents.sum(axis, keepdims=True)


def reciprocal(scores, own):
    """The mean reciprocal rank of the right texts; a right text does not compete with itself."""
    others = scores.copy()
    np.fill_diagonal(others, -2)
    return (1 / (1 + (others > own[:, None]).sum(1))).mean()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pairs", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--epochs", type=float, default=3.0)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    pairs = Pairs(args.pairs)
    print(f"{len(pairs.repository)} pairs, {len(pairs.stems)} stems", flush=True)
    trainer = Trainer(pairs, args.seed)
    trainer.train(args.epochs)
    trainer.write(args.out)


if __name__ == "__main__":
    main()
