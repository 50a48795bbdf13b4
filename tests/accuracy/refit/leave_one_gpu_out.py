#!/usr/bin/env python3
"""How well a card is predicted by constants that never saw it: refits the constants of each class without the card's rows.

usage: leave_one_gpu_out.py BUILD_DIR

Writes left_out.json beside itself, which `accuracy.py report` publishes in docs/accuracy.md; that command runs this one when the
constants or the measurements have changed since. Needs a finished release build, numpy and scipy. Constants that no measurement decides (status prior, counted) stay as they are,
and so do those of other classes; the power of a silicon family is refitted with its other cards.
"""
import collections
import json
import math
import os
import subprocess
import sys
import tempfile

import numpy as np
from scipy.optimize import least_squares

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(HERE))
import leave_out  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
OUT = os.path.join(HERE, 'left_out.json')
PREFIXES = {'vision-train': ('vision.', 'convolution.'), 'vision-infer': ('vision.', 'convolution.'), 'encoder-train': ('encoder.', 'parallel.'),
            'llm-train': ('llm_training.',), 'llm-decode': ('decode.', 'traffic.weights'), 'llm-prefill': ('prefill.',),
            'llm-serve': ('serving.', 'traffic.serving'), 'diffusion-infer': ('diffusion.',)}
LOOSE, FIRM = 0.35, 0.1  # prior widths, in logarithm, of a class's own constants and of the power of a family


class Estimator:
    def __init__(self, build, rows):
        program = os.path.join(build, 'settable_speed')
        subprocess.run([os.environ.get('CXX', 'c++'), '-std=c++20', '-O1', '-I' + ROOT + '/include', '-I' + ROOT + '/src',
                        os.path.join(HERE, 'settable_speed.cpp'), os.path.join(build, 'libgpuadvise.a'), '-o', program], check=True)
        with tempfile.NamedTemporaryFile('w', suffix='.jsonl', delete=False) as file:
            for row in rows:
                request = {k: v for k, v in row['request'].items() if k != 'gpu'}
                file.write(json.dumps({'gpu': row['request']['gpu'], 'what': row['what'], 'request': request}) + '\n')
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        words = self.ask(file.name + '\nnames').split()
        os.unlink(file.name)
        self.index = {name: i for i, name in enumerate(words[0::2])}
        self.published = dict(zip(words[0::2], map(float, words[1::2])))

    def ask(self, text):
        self.process.stdin.write(text + '\n')
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def set(self, values):
        self.process.stdin.write(''.join(f'set {self.index[name]} {value!r}\n' for name, value in values.items()))

    def predict(self, rows):
        return np.array(self.ask('predict %d %s' % (len(rows), ' '.join(map(str, rows)))).split(), dtype=float)


def fitted_constants():
    with open(leave_out.CONSTANTS, encoding='utf-8') as file:
        return [c['name'] for c in json.load(file)['constants'] if c['status'] == 'fitted' and not c['name'].startswith('band.')]


def refit(estimator, rows, measured, free):
    """Sets the free constants to what `rows` alone say. What they leave open stays at a start moved up to 15 % off the published
    values, which have seen every card."""
    names = list(free)
    start = np.log([estimator.published[n] for n in names]) + 0.15 * np.sin(np.arange(len(names)))
    width = np.array([free[n] for n in names])
    rows = [r for r, p in zip(rows, estimator.predict(rows)) if p > 0]
    target = np.log(measured[rows])

    def residuals(x):
        estimator.set({n: float(math.exp(v)) for n, v in zip(names, x)})
        return np.concatenate([np.log(np.maximum(estimator.predict(rows), 1e-12)) - target, 0.3 * (x - start) / width])

    residuals(least_squares(residuals, start, loss='soft_l1', f_scale=0.15, max_nfev=30, diff_step=1e-4).x)


def errors_left_out(estimator, name, rows, all_rows, measured, card_of, names):
    cards = collections.Counter(card_of[r] for r in rows)
    folds = [[] for _ in range(min(12, len(cards)))]
    for i, (card, _) in enumerate(cards.most_common()):
        folds[i % len(folds)].append(card)
    free = {n: LOOSE for n in names if n.startswith(PREFIXES[name])}
    free.update({n: FIRM for n in names if n.startswith('power.')})
    found = {}
    for fold in folds:
        estimator.set(estimator.published)
        refit(estimator, [r for r in all_rows if card_of[r] not in fold], measured, free)
        tested = [r for r in rows if card_of[r] in fold]
        found.update((r, p / measured[r] - 1) for r, p in zip(tested, estimator.predict(tested)) if p > 0)
    estimator.set(estimator.published)
    return found


def figures(errors):
    return {'n': len(errors), 'median': round(float(np.median(np.abs(errors))), 4), 'p90': round(float(np.quantile(np.abs(errors), 0.9)), 4),
            'bias': round(float(np.median(errors)), 4)}


def left_out(build):
    with open(leave_out.MEASUREMENTS, encoding='utf-8') as file:
        rows = [row for group in json.load(file)['sources'] for row in group['rows']]
    estimator = Estimator(build, rows)
    measured = np.array([row['value'] for row in rows])
    # A time in place of a rate: its inverse, so that above 0 means estimated too fast in both.
    power = np.array([-1 if row['what'] == 'step_seconds' else 1 for row in rows])
    card_of = [row['request']['gpu'] for row in rows]
    by_class = collections.defaultdict(list)
    for i, row in enumerate(rows):
        by_class[row['class'].split(':')[-1]].append(i)
    names = fitted_constants()
    cards, classes = collections.defaultdict(list), {}
    for name in sorted(by_class):
        indexes = by_class[name]
        pool = by_class['vision-train'] + by_class['vision-infer'] if name.startswith('vision') else indexes
        seen = [(p / measured[r]) ** power[r] - 1 for r, p in zip(indexes, estimator.predict(indexes)) if p > 0]
        left = {r: (1 + error) ** power[r] - 1
                for r, error in errors_left_out(estimator, name, indexes, pool, measured, card_of, names).items()}
        classes[name] = {'seen': figures(seen), 'left_out': figures(list(left.values()))}
        for r, error in left.items():
            cards[card_of[r]].append(error)
    return {'fingerprint': leave_out.rests_on(), 'classes': classes,
            'cards': {card: figures(errors) for card, errors in sorted(cards.items()) if len(errors) >= 4}}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    result = left_out(os.path.abspath(sys.argv[1]))
    with open(OUT, 'w', encoding='utf-8') as file:
        json.dump(result, file, indent=1)
        file.write('\n')


if __name__ == '__main__':
    main()
