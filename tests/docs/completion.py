#!/usr/bin/env python3
"""The completion scripts: bash's is run, the others are searched.

usage: completion.py PROGRAM
"""
import os
import subprocess
import sys
import tempfile

# Words of the command line so far, the last one being typed; a word that must be offered, and one that must not.
CASES = [
    (['gpuadvise', 'com'], 'compare', 'recommend'),
    (['gpuadvise', '--bud'], '--budget', '--batch'),
    (['gpuadvise', '--task', ''], 'finetune', 'resnet50'),
    (['gpuadvise', '--model', 'resnet5'], 'resnet50', 'rtx-3090'),
    (['gpuadvise', '--candidates', 'rtx-3090,rtx-40'], 'rtx-3090,rtx-4090', 'rtx-4090'),
    (['gpuadvise', 'solve', '--na'], None, '--name'),
    (['gpuadvise', 'lint', '--b'], None, '--budget'),
    (['gpuadvise', 'recommend', '--b'], '--batch', '--model'),
]


def offered(program_folder, script, words):
    typed = ' '.join(f"'{word}'" for word in words)
    command = f'source "{script}"; COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}; _gpuadvise; printf "%s\\n" "${{COMPREPLY[@]}}"'
    environment = dict(os.environ, PATH=program_folder + os.pathsep + os.environ['PATH'], HOME=program_folder)
    done = subprocess.run(['bash', '--norc', '-c', command], capture_output=True, text=True, env=environment, timeout=60, check=True)
    return done.stdout.split()


def main():
    program = os.path.abspath(sys.argv[1])
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(program, os.path.join(folder, 'gpuadvise'))
        script = os.path.join(folder, 'completion.bash')
        with open(script, 'w', encoding='utf-8') as file:
            subprocess.run([program, 'completion', 'bash'], stdout=file, check=True)
        for words, wanted, unwanted in CASES:
            got = offered(folder, script, words)
            if (wanted is not None and wanted not in got) or unwanted in got:
                failed += 1
                print(f'{words}: offered {got[:20]}')
    zsh = subprocess.run([program, 'completion', 'zsh'], capture_output=True, text=True, check=True).stdout
    fish = subprocess.run([program, 'completion', 'fish'], capture_output=True, text=True, check=True).stdout
    if not zsh.startswith('#compdef gpuadvise') or '_gpuadvise' not in zsh:
        failed += 1
        print('zsh: no function to call')
    if 'complete -c gpuadvise -l batch ' not in fish or '-a compare' not in fish:
        failed += 1
        print('fish: a flag or a command is missing')
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
