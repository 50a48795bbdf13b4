#!/usr/bin/env python3
"""Scores the program against the project's own set of published measurements.

usage: accuracy.py check PROGRAM          exit 1 when a gate of gates.json is missed
       accuracy.py report PROGRAM         writes docs/accuracy.md; refits the constants of speed without each card where they changed
       accuracy.py current                exit 1 when the published table of cards left out rests on other constants
       accuracy.py leave-out PROGRAM KEY  error of each source or gpu when it has no say in the level of its class (leave_out.py)

A measurement is compared only with the figure of its own kind (allocated, reserved, device, a component, a rate).
"""
import collections
import json
import math
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)
import leave_out  # noqa: E402

GIB = 2.0 ** 30
LEFT_OUT = os.path.join(HERE, 'refit/left_out.json')
COMPONENTS = {'weights', 'kv_cache', 'workspace', 'activations', 'recurrent_state', 'runtime'}
RATES = {'throughput': 'throughput', 'step_seconds': 'step_seconds', 'prefill': 'prefill_tokens_per_s', 'decode': 'decode_tokens_per_s'}


def measurements():
    for name in sorted(os.listdir(os.path.join(HERE, 'measurements'))):
        with open(os.path.join(HERE, 'measurements', name), encoding='utf-8') as file:
            for group in json.load(file)['sources']:
                for row in group['rows']:
                    yield dict(row, source=group['source'])


def answers(program, rows):
    text = ''.join(json.dumps(dict(row['request'], id=i)) + '\n' for i, row in enumerate(rows))
    done = subprocess.run([program, 'estimate', '--jsonl', '-'], input=text, capture_output=True, text=True)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    if len(found) != len(rows):
        sys.exit(f'accuracy: {len(found)} answers to {len(rows)} requests: {done.stderr[:500]}')
    return found


def figure(row, answer):
    """-> (expected, low, high) in the unit of the measurement, or None"""
    if not answer['ok']:
        return None
    what, memory = row['what'], answer['memory']
    everywhere = row.get('scope') == 'all-gpus'
    if what == 'kv_tokens':
        value = answer['capacity']['kv_tokens']
        return None if value is None else (value, None, None)
    if what in COMPONENTS:
        value = memory['all_gpus_components_bytes' if everywhere else 'components_bytes'][what]
        return value / GIB, None, None
    if what in RATES:
        rate = (answer.get('speed') or {}).get(RATES[what])
        return (rate['expected'], rate['low'], rate['high']) if rate else None
    interval = memory['all_gpus_bytes'].get(what) if everywhere else memory.get(what + '_bytes')
    return tuple(interval[k] / GIB for k in ('expected', 'low', 'high')) if interval else None


def holds(row, answer):
    need = answer['memory']['need_bytes'] if answer['ok'] else None
    if need is None:
        return False
    return need['low'] / GIB <= row['value'] if row['what'] == 'fits-in' else need['high'] / GIB >= 0.95 * row['value']


def quantile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))] if values else None


def order(rows, found):
    groups = collections.defaultdict(dict)
    for row, answer in zip(rows, found):
        value = figure(row, answer)
        request = row['request']
        if row['what'] not in RATES or value is None or request.get('gpus', 1) != 1:
            continue
        sign = -1 if row['what'] == 'step_seconds' else 1
        same = json.dumps({k: v for k, v in request.items() if k != 'gpu'}, sort_keys=True)
        groups[(row['class'], row['source'], row['what'], same)][request.get('gpu')] = (row['value'] ** sign, value[0] ** sign)
    right, pairs = collections.Counter(), collections.Counter()
    for (name, *_), cards in groups.items():
        items = list(cards.values())
        for i, (a, pa) in enumerate(items):
            for b, pb in items[i + 1:]:
                if max(a, b) > 1.15 * min(a, b):
                    pairs[name] += 1
                    right[name] += (a > b) == (pa > pb)
    return {name: right[name] / n for name, n in pairs.items() if n >= 10}


def summarise(rows, found):
    classes = {}
    for row, answer in zip(rows, found):
        c = classes.setdefault(row['class'], {'n': 0, 'errors': [], 'banded': 0, 'inside': 0, 'over': 0, 'widths': [], 'held': 0, 'worst': []})
        c['n'] += 1
        if row['class'] == 'bounds':
            c['held'] += holds(row, answer)
            continue
        value = figure(row, answer)
        if value is None:
            continue
        expected, low, high = value
        error = expected / row['value'] - 1
        c['errors'].append(error)
        c['worst'].append((abs(error), row, expected))
        if low is not None:
            c['banded'] += 1
            c['inside'] += low <= row['value'] <= high
            c['over'] += row['value'] > high
            c['widths'].append(high / low if low > 0 else math.inf)
    ordered = order(rows, found)
    for name, c in classes.items():
        errors = c['errors']
        c['figures'] = {
            'answered': len(errors) / c['n'] if name != 'bounds' else None,
            'median': quantile([abs(e) for e in errors], 0.5),
            'p90': quantile([abs(e) for e in errors], 0.9),
            'bias': quantile(errors, 0.5),
            'in_band': c['inside'] / c['banded'] if c['banded'] else None,
            'over_band': c['over'] / c['banded'] if c['banded'] else None,
            'width': quantile(c['widths'], 0.5),
            'order': ordered.get(name),
            'held': c['held'] / c['n'] if name == 'bounds' else None,
        }
    return classes


def missed(classes):
    with open(os.path.join(HERE, 'gates.json'), encoding='utf-8') as file:
        gates = json.load(file)
    at_least = {'answered', 'in_band', 'order', 'held'}
    gates.pop('note')
    for name, wanted in gates.items():
        figures = classes.get(name, {}).get('figures')
        if figures is None:
            yield f'{name}: no measurements'
            continue
        for key, limit in wanted.items():
            if key == 'goal':
                continue
            value = figures[key]
            if value is None:
                # Order needs enough pairs; a set without them cannot be judged by it.
                if key != 'order':
                    yield f'{name} {key}: nothing to judge'
            elif (value < limit) if key in at_least else (abs(value) > limit):
                yield f'{name} {key}: {value:.3f} ({"at least" if key in at_least else "at most"} {limit})'


def percent(value, signed=False):
    return '-' if value is None else f'{100 * value:+.1f} %' if signed else f'{100 * value:.1f} %'


def table(classes):
    lines = ['| class | n | median | 90 % within | bias | in band | above band | band width | order of cards |',
             '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |']
    for name in sorted(classes):
        f = classes[name]['figures']
        if name == 'bounds':
            continue
        width = '-' if f['width'] is None else f"{f['width']:.2f}x"
        lines.append(f"| {name} | {classes[name]['n']} | {percent(f['median'])} | {percent(f['p90'])} | {percent(f['bias'], True)} | "
                     f"{percent(f['in_band'])} | {percent(f['over_band'])} | {width} | {percent(f['order'])} |")
    return '\n'.join(lines)


def groups_table(rows, found, key):
    errors = collections.defaultdict(list)
    for row, answer in zip(rows, found):
        value = figure(row, answer) if row['class'] != 'bounds' else None
        if value:
            name = row['source'] if key == 'source' else row['request'].get(key) or 'none'
            errors[('speed' if row['class'].startswith('speed:') else 'memory', name)].append(value[0] / row['value'] - 1)
    lines = [f'| what | {key} | n | median | bias |', '| --- | --- | ---: | ---: | ---: |']
    for (what, name), values in sorted(errors.items()):
        if len(values) >= 8:
            lines.append(f'| {what} | {name} | {len(values)} | {percent(quantile([abs(v) for v in values], 0.5))} | '
                         f'{percent(quantile(values, 0.5), True)} |')
    return '\n'.join(lines)


def ratios(rows, found, speed):
    for row, answer in zip(rows, found):
        value = figure(row, answer) if row['class'] != 'bounds' and row['class'].startswith('speed:') == speed else None
        if value and value[0] > 0:
            # A time in place of a rate: its inverse, so that above 1 means estimated too fast in both.
            power = -1 if row['what'] == 'step_seconds' else 1
            groups = {'source': leave_out.project(row['source']), 'gpu': row['request'].get('gpu') or 'none'}
            yield row['class'].replace('speed:', ''), groups, (value[0] / row['value']) ** power


def left_out_tables(rows, found, key):
    tables = []
    for speed in (False, True):
        result = leave_out.left_out(ratios(rows, found, speed), key)
        tables += [f"{'Speed' if speed else 'Memory'}, one {key} left out:", leave_out.class_table(result, key),
                   leave_out.group_table(result, key)]
    return '\n\n'.join(tables)


def refit_result(program):
    """The speed of cards whose rows had no say in the constants (refit/leave_one_gpu_out.py), computed anew where it is old."""
    result = json.load(open(LEFT_OUT, encoding='utf-8')) if os.path.exists(LEFT_OUT) else {}
    if result.get('fingerprint') != leave_out.rests_on():
        script = os.path.join(HERE, 'refit/leave_one_gpu_out.py')
        subprocess.run([sys.executable, script, os.path.dirname(os.path.abspath(program))], check=True)
        with open(LEFT_OUT, encoding='utf-8') as file:
            result = json.load(file)
    return result


def refit_tables(result):
    lines = ['| class | n | seen: median | left out: median | left out: 90 % within | left out: bias |', '| --- | ---: | ---: | ---: | ---: | ---: |']
    for name, c in sorted(result['classes'].items()):
        left = c['left_out']
        lines.append(f"| {name} | {left['n']} | {percent(c['seen']['median'])} | {percent(left['median'])} | {percent(left['p90'])} | "
                     f"{percent(left['bias'], True)} |")
    lines += ['', '| card left out | n | median | 90 % within | bias |', '| --- | ---: | ---: | ---: | ---: |']
    for name, f in sorted(result['cards'].items()):
        lines.append(f"| {name} | {f['n']} | {percent(f['median'])} | {percent(f['p90'])} | {percent(f['bias'], True)} |")
    return '\n'.join(lines)


def current():
    with open(LEFT_OUT, encoding='utf-8') as file:
        result = json.load(file)
    with open(os.path.join(HERE, '../../docs/accuracy.md'), encoding='utf-8') as file:
        published = refit_tables(result) in file.read()
    if result['fingerprint'] != leave_out.rests_on() or not published:
        sys.exit('accuracy: the table of cards left out is of other constants or measurements: accuracy.py report PROGRAM')


def report(program, rows, found, classes):
    by_card = leave_out.left_out(ratios(rows, found, True), 'gpu')
    by_source = leave_out.left_out(ratios(rows, found, False), 'source')
    worst = []
    for name in sorted(classes):
        for error, row, expected in sorted(classes[name]['worst'], key=lambda w: -w[0])[:2]:
            request = row['request']
            worst.append(f"| {name} | {request.get('model')} | {row['what']} | {row['value']:.3g} | {expected:.3g} | {row['source']} |")
    held = classes['bounds']['figures']['held']
    text = f"""# How sure the estimates are

Made by `tests/accuracy/accuracy.py report`; do not edit. Each row of `tests/accuracy/measurements` is a published measurement; the program
is asked the same request and compared with the figure of the same kind. Median and 90 % are of the absolute error; the band is the
program's own 90 % interval; the order is the share of pairs of cards, measured more than 15 % apart, that are ranked as measured.
The constants were fitted with these measurements in view, so other work will show somewhat larger errors.

{table(classes)}

Configurations known to fit a memory size, or not to: {percent(held)} of {classes['bounds']['n']} are judged so.

## By card

Cards with at least eight measurements. The constants are per silicon family and per kind of work, never per card.

{groups_table(rows, found, 'gpu')}

## Speed of a card that no measurement shows

For each card (in at most 12 groups a class) the fitted constants of the class and of the power of silicon families are fitted anew to
the rows of all other cards, from a start up to 15 % off the published values, and the rows of the card are judged with them. Constants
that are priors or counted stay as they are. "Seen" is the error with the published constants; bias above 0: estimated too fast.

{refit_tables(refit_result(program))}

## One factor left out

A rougher test that covers memory too. The constants are tables of the program, and a script from outside cannot
refit them; so for each card or publication left out, one factor for its class is estimated from all the others, the median of measured
over estimated, and the rows left out are judged with it. It shows whether the level of a class leans on one card or source: then the
factor moves and the error grows. It does not show what a constant within the class (of a training program, an engine, a network's
head) owes to the rows left out, so the error on work of a new kind is larger.

Speed, one card left out:

{leave_out.class_table(by_card, 'card')}

{leave_out.group_table(by_card, 'card')}

Memory, one source left out:

{leave_out.class_table(by_source, 'source')}

{leave_out.group_table(by_source, 'source')}

## The worst cases

| class | model | what | measured | estimated | source |
| --- | --- | --- | ---: | ---: | --- |
""" + '\n'.join(worst) + '\n'
    path = os.path.join(HERE, '..', '..', 'docs', 'accuracy.md')
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def main():
    if sys.argv[1:] == ['current']:
        current()
        return
    if len(sys.argv) < 3 or sys.argv[1] not in ('check', 'report', 'leave-out'):
        sys.exit(__doc__)
    rows = list(measurements())
    found = answers(sys.argv[2], rows)
    if sys.argv[1] == 'leave-out':
        key = sys.argv[3] if len(sys.argv) > 3 else 'source'
        print(left_out_tables(rows, found, key) if key in ('source', 'gpu') else groups_table(rows, found, key))
        return
    classes = summarise(rows, found)
    if sys.argv[1] == 'report':
        report(sys.argv[2], rows, found, classes)
        return
    print(table(classes))
    faults = list(missed(classes))
    print(f'accuracy: {len(rows)} measurements, gates missed: {len(faults)}')
    print('\n'.join('  ' + fault for fault in faults))
    sys.exit(1 if faults else 0)


main()
