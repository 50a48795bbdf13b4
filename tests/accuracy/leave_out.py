"""What a class of estimates would look like to a source or a card that had no say in its level.

The constants are tables of the program, so a script from outside cannot refit them. It does this instead: for each group left out (a
publication, a card) one factor for the class is estimated from the other groups, as the median of measured / estimated, and the
group's rows are judged with that factor. If one group had set the level of its class, the factor would move when it is left out and
its error would grow. What this cannot show is a constant within the class (a silicon family's, an engine's) that rests on the group;
refit/leave_one_gpu_out.py refits those of speed.
"""
import collections
import hashlib
import math
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
CONSTANTS = os.path.join(HERE, '../../data/calibration/speed.json')
MEASUREMENTS = os.path.join(HERE, 'measurements/speed.json')
FEWEST = 8  # rows of a group that gets a line of its own


def rests_on():
    """Digest of what a refit of speed rests on: the constants with their values and the measurements."""
    digest = hashlib.sha256()
    for path in (CONSTANTS, MEASUREMENTS):
        with open(path, 'rb') as file:
            digest.update(file.read())
    return digest.hexdigest()[:16]


def project(source):
    """The publication behind a source: one repository or site, whatever the page or commit."""
    log = re.search(r'file id (\d+)', source)
    if log:
        return 'log ' + log.group(1)
    found = re.match(r'https?://github\.com/([^/]+/[^/#]+)', source)
    name = found.group(1) if found else re.split(r'[ :@#]', re.sub(r'^(https?://|github )', '', source))[0]
    return name.rstrip('/').lower()


def median(values):
    values = sorted(values)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def left_out(rows, key):
    """rows: (class, group of each key, estimated / measured) -> {class: {group: (factor of the others, ratios)}}"""
    classes = collections.defaultdict(lambda: collections.defaultdict(list))
    for name, groups, ratio in rows:
        classes[name][groups[key]].append(ratio)
    result = {}
    for name, groups in classes.items():
        if len(groups) < 2:
            continue  # nothing is left to estimate a factor from
        result[name] = {}
        for group, ratios in groups.items():
            others = [math.log(r) for g, rs in groups.items() if g != group for r in rs]
            result[name][group] = (math.exp(-median(others)), ratios)
    return result


def error(ratios, factor=1.0):
    return median([abs(factor * r - 1) for r in ratios])


def percent(value):
    return f'{100 * value:.1f} %'


def class_table(result, what):
    lines = [f'| class | {what}s | n | as published | left out | factor without one {what} |', '| --- | ---: | ---: | ---: | ---: | --- |']
    for name, groups in sorted(result.items()):
        ratios = [r for _, rs in groups.values() for r in rs]
        scaled = [factor * r for factor, rs in groups.values() for r in rs]
        factors = [factor for factor, _ in groups.values()]
        lines.append(f'| {name} | {len(groups)} | {len(ratios)} | {percent(error(ratios))} | {percent(error(scaled))} | '
                     f'{min(factors):.3f} to {max(factors):.3f} |')
    return '\n'.join(lines)


def group_table(result, what):
    """Groups of at least FEWEST rows over all classes."""
    groups = collections.defaultdict(lambda: ([], []))
    for members in result.values():
        for group, (factor, ratios) in members.items():
            groups[group][0].extend(ratios)
            groups[group][1].extend(factor * r for r in ratios)
    lines = [f'| {what} left out | n | as published | left out | bias left out |', '| --- | ---: | ---: | ---: | ---: |']
    for group, (ratios, scaled) in sorted(groups.items()):
        if len(ratios) >= FEWEST:
            lines.append(f'| {group} | {len(ratios)} | {percent(error(ratios))} | {percent(error(scaled))} | '
                         f'{100 * (median(scaled) - 1):+.1f} % |')
    return '\n'.join(lines)
