#!/usr/bin/env python3
"""How well a card is predicted by constants that never saw it: refits the constants of each class without the card's rows.

usage: leave_one_gpu_out.py BUILD_DIR [OUT.md]

Needs a finished release build, numpy and scipy. Constants that no measurement decides (status prior, counted) stay as they are,
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
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
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
    with open(os.path.join(ROOT, 'data/calibration/speed.json'), encoding='utf-8') as file:
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


def main():
    build = os.path.abspath(sys.argv[1])
    with open(os.path.join(os.path.dirname(HERE), 'measurements/speed.json'), encoding='utf-8') as file:
        rows = [row for group in json.load(file)['sources'] for row in group['rows']]
    estimator = Estimator(build, rows)
    measured = np.array([row['value'] for row in rows])
    card_of = [row['request']['gpu'] for row in rows]
    by_class = collections.defaultdict(list)
    for i, row in enumerate(rows):
        by_class[row['class'].split(':')[-1]].append(i)
    names = fitted_constants()
    lines = ['| class | n | seen: median | left out: median | left out: 90 % within |', '| --- | ---: | ---: | ---: | ---: |']
    cards = collections.defaultdict(list)
    for name in sorted(by_class):
        indexes = by_class[name]
        pool = by_class['vision-train'] + by_class['vision-infer'] if name.startswith('vision') else indexes
        seen = [abs(p / measured[r] - 1) for r, p in zip(indexes, estimator.predict(indexes)) if p > 0]
        left = errors_left_out(estimator, name, indexes, pool, measured, card_of, names)
        lines.append('| %s | %d | %.1f %% | %.1f %% | %.1f %% |' % (name, len(left), 100 * np.median(seen), 100 * np.median(np.abs(list(left.values()))),
                                                                  100 * np.quantile(np.abs(list(left.values())), 0.9)))
        for r, error in left.items():
            cards[card_of[r]].append(error)
    lines += ['', '| card left out | n | median | bias |', '| --- | ---: | ---: | ---: |']
    lines += ['| %s | %d | %.1f %% | %+.1f %% |' % (card, len(e), 100 * np.median(np.abs(e)), 100 * np.median(e)) for card, e in sorted(cards.items()) if len(e) >= 4]
    text = '\n'.join(lines) + '\n'
    if len(sys.argv) > 2:
        with open(sys.argv[2], 'w', encoding='utf-8') as file:
            file.write('# Speed of cards that the constants never saw\n\nMade by `tests/accuracy/refit/leave_one_gpu_out.py BUILD_DIR '
                       'docs/speed-left-out.md`; do not edit. For each card (in at most\n12 groups a class) the fitted constants of the class and '
                       'of the power of silicon families are fitted anew to the rows of all other\ncards, from a start up to 15 % off the '
                       'published values; the rows of the card are then judged with them. Constants that are priors or\ncounted stay as '
                       'they are. "Seen" is the error with the published constants.\n\n' + text)
    else:
        print(text, end='')


if __name__ == '__main__':
    main()
