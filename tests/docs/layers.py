#!/usr/bin/env python3
"""Who may include whom, and how large a file may be.

usage: layers.py SOURCE_DIR
"""
import os
import re
import sys

ORDER = ['units', 'model', 'catalog', 'import', 'software', 'host', 'workload', 'estimate', 'rules', 'advise', 'report', 'cli']
# Folders whose level is not their place in the list.
LEVEL = {name: level for level, name in enumerate(ORDER)}
LEVEL.update({'import': LEVEL['catalog'], 'software': LEVEL['catalog'], 'host': LEVEL['catalog'], 'compile': len(ORDER)})
JSON_ALLOWED = {'catalog', 'import', 'rules', 'compile', 'software', 'host'}
LONGEST = 600


def files(root, folders):
    for folder in folders:
        for path, _, names in os.walk(os.path.join(root, folder)):
            for name in names:
                if name.endswith(('.cpp', '.hpp')):
                    yield os.path.join(path, name)


def check(path, root):
    relative = os.path.relpath(path, root)
    with open(path, encoding='utf-8') as file:
        lines = file.read().splitlines()
    faults = []
    if len(lines) > LONGEST:
        faults.append(f'{relative}: {len(lines)} lines, {LONGEST} at most')
    parts = relative.split(os.sep)
    layer = parts[1] if parts[0] == 'src' and len(parts) > 2 else None
    for number, line in enumerate(lines, 1):
        include = re.match(r'#include ["<]([^">]+)[">]', line)
        if not include:
            continue
        target = include.group(1)
        where = f'{relative}:{number}'
        if target.startswith('CLI/') and layer != 'cli':
            faults.append(f'{where}: only src/cli knows CLI11')
        if target.startswith('nlohmann/') and parts[0] == 'include':
            faults.append(f'{where}: public headers do not know the JSON library')
        if target.startswith('nlohmann/') and layer is not None and layer not in JSON_ALLOWED:
            faults.append(f'{where}: {layer} does not read JSON')
        folder = target.split('/')[0]
        if layer in LEVEL and folder in LEVEL and '/' in target and LEVEL[folder] > LEVEL[layer]:
            faults.append(f'{where}: {layer} is below {folder}')
        if parts[0] == 'include' and folder in LEVEL:
            faults.append(f'{where}: a public header includes a private one')
    return faults


def main():
    root = sys.argv[1]
    checked = list(files(root, ['src', 'include']))
    faults = [fault for path in checked for fault in check(path, root)]
    if len(checked) < 50:
        faults.append(f'only {len(checked)} files found')
    print('\n'.join(faults) or f'layers: {len(checked)} files are in order')
    sys.exit(1 if faults else 0)


main()
