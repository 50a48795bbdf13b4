#!/usr/bin/env python3
"""Whole outputs, character by character.

usage: golden.py PROGRAM CASE... [--update]

A case is a text file:
    $ --model resnet50 --batch 32      arguments, as in a shell
    < text                             lines for standard input (optional)
    exit 0
    --- stdout
    ...
    --- stderr
    ...
Data digests are replaced by DATA so that a new price does not touch every file.
"""
import difflib
import os
import re
import shlex
import subprocess
import sys
import tempfile


def read_case(path):
    with open(path, encoding='utf-8') as file:
        text = file.read()
    head, _, rest = text.partition('--- stdout\n')
    stdout, _, stderr = rest.partition('--- stderr\n')
    arguments, stdin, status = None, [], None
    for line in head.splitlines():
        if line.startswith('$ '):
            arguments = shlex.split(line[2:])
        elif line.startswith('< '):
            stdin.append(line[2:])
        elif line.startswith('exit '):
            status = int(line[5:])
    if arguments is None:
        sys.exit(f'{path}: no command')
    return {'head': [l for l in head.splitlines() if not l.startswith('exit ')], 'arguments': arguments,
            'stdin': '\n'.join(stdin) + ('\n' if stdin else ''), 'status': status, 'stdout': stdout, 'stderr': stderr}


def run(program, case, folder):
    environment = {'PATH': os.environ.get('PATH', ''), 'COLUMNS': '80', 'HOME': folder, 'TERM': 'dumb', 'LC_ALL': 'C.UTF-8'}
    done = subprocess.run([program] + case['arguments'], input=case['stdin'], capture_output=True, text=True, env=environment, timeout=60,
                          cwd=os.path.dirname(os.path.abspath(__file__)))
    clean = lambda text: re.sub(r'(?<![0-9a-f])[0-9a-f]{16}(?![0-9a-f])', 'DATA', text)
    return done.returncode, clean(done.stdout), clean(done.stderr)


def difference(kind, wanted, got):
    lines = difflib.unified_diff(wanted.splitlines(), got.splitlines(), f'{kind} wanted', f'{kind} got', lineterm='')
    return '\n'.join(lines)


def main():
    arguments = [a for a in sys.argv[1:] if a != '--update']
    update = '--update' in sys.argv
    program, cases = os.path.abspath(arguments[0]), arguments[1:]
    if not cases:
        sys.exit('golden: no cases')
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in cases:
            case = read_case(path)
            status, stdout, stderr = run(program, case, folder)
            if update:
                with open(path, 'w', encoding='utf-8') as file:
                    file.write('\n'.join(case['head']) + f'\nexit {status}\n--- stdout\n{stdout}--- stderr\n{stderr}')
                continue
            problems = []
            if status != case['status']:
                problems.append(f"exit status {status} instead of {case['status']}")
            for kind, wanted, got in (('stdout', case['stdout'], stdout), ('stderr', case['stderr'], stderr)):
                if wanted != got:
                    problems.append(difference(kind, wanted, got))
            if problems:
                failed += 1
                print(f'{path}:\n' + '\n'.join(problems))
    sys.exit(1 if failed else 0)


main()
