#!/usr/bin/env python3
"""Runs every command of the README's sh blocks that starts with `gpuadvise`; each must end as the README says.

usage: readme.py PROGRAM README

A line may say what it ends with: `gpuadvise ... # exit 1`. Default 0. Pipes and redirections run in a shell.
"""
import os
import re
import subprocess
import sys
import tempfile


def commands(text):
    for block in re.findall(r'```sh\n(.*?)```', text, re.S):
        joined = block.replace('\\\n', ' ')
        for line in joined.splitlines():
            line = line.strip()
            if re.match(r'(echo .*\| *)?gpuadvise\b', line):
                command, _, comment = line.partition(' # ')
                found = re.search(r'exit (\d+)', comment)
                yield command, int(found.group(1)) if found else 0


def main():
    program, readme = os.path.abspath(sys.argv[1]), sys.argv[2]
    with open(readme, encoding='utf-8') as file:
        wanted = list(commands(file.read()))
    if len(wanted) < 5:
        sys.exit(f'readme: only {len(wanted)} commands found')
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(program, os.path.join(folder, 'gpuadvise'))
        environment = dict(os.environ, PATH=folder + os.pathsep + os.environ['PATH'], HOME=folder)
        for command, status in wanted:
            done = subprocess.run(['bash', '-c', 'set -o pipefail; ' + command], capture_output=True, text=True, env=environment, cwd=folder,
                                  timeout=60)
            if done.returncode != status or (status == 0 and not done.stdout):
                failed += 1
                print(f'{command}\n  ended {done.returncode}, not {status}\n{done.stderr}')
    print(f'readme: {len(wanted)} commands, {failed} failed')
    sys.exit(1 if failed else 0)


main()
