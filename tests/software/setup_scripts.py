#!/usr/bin/env python3
"""What setup prints can be run: every verification script is a Python program of 13 checks with statuses of their own, and the commands
of every manager and system are whole.

usage: setup_scripts.py PROGRAM
"""
import itertools
import json
import os
import py_compile
import re
import shlex
import subprocess
import sys
import tempfile

CARDS = ['rtx-4090', 'rtx-5090', 'gtx-1080-ti', 'tesla-k80', 'gh200', 'rx-7900-xtx', 'rx-6700-xt', 'arc-b580', 'apple-m2-max-38core']
SYSTEMS = ['linux', 'windows', 'wsl2', 'macos']
MANAGERS = ['pip', 'uv', 'conda']
CHECKS = 13
NEEDS = {'nvidia': 'https://download.pytorch.org/whl/cu', 'amd': 'https://download.pytorch.org/whl/rocm',
         'intel': 'https://download.pytorch.org/whl/xpu'}
VENDOR = {'rx-7900-xtx': 'amd', 'rx-6700-xt': 'amd', 'arc-b580': 'intel', 'apple-m2-max-38core': 'apple'}
SERVED = {'nvidia': {'linux', 'windows', 'wsl2'}, 'amd': {'linux', 'wsl2'}, 'intel': {'linux', 'windows'}, 'apple': {'macos'}}


def run(program, *arguments):
    environment = {'PATH': os.environ.get('PATH', ''), 'HOME': '/nonexistent', 'TERM': 'dumb', 'LC_ALL': 'C.UTF-8'}
    return subprocess.run([program, 'setup', *arguments, '--no-user-data'], capture_output=True, text=True, env=environment, timeout=60)


STUB = '''import sys
from unittest.mock import MagicMock
torch = MagicMock()
torch.__version__ = "{version}"
torch.version.cuda = {cuda}
torch.version.hip = torch.version.xpu = None
torch.cuda.is_available.return_value = {available}
torch.cuda.device_count.return_value = 1
torch.cuda.get_arch_list.return_value = {arch}
torch.cuda.get_device_capability.return_value = (8, 9)
torch.cuda.is_bf16_supported.return_value = True
torch.cuda.mem_get_info.return_value = (20 * 2**30, 24 * 2**30)
torch.ones.return_value.__matmul__.return_value.sum.return_value.item.return_value = {product}
torch.backends.cudnn.version.return_value = 91000
sys.modules["torch"] = torch
'''
GOOD = {'cuda': '"12.8"', 'available': True, 'arch': ['sm_80', 'sm_90'], 'product': 64.0**3}
# What is wrong with the installation, and the check that must say so.
FAULTS = [({}, '580.95.05', 0), ({'cuda': None}, '580.95.05', 2), ({}, None, 3), ({}, '470.82.01', 3), ({'available': False}, '580.95.05', 4),
          ({'arch': ['sm_90', 'sm_120']}, '580.95.05', 5), ({'product': 7.0}, '580.95.05', 6)]


def run_script(path, folder):
    return subprocess.run([sys.executable, '-S', path], capture_output=True, text=True, timeout=60, cwd=folder,
                          env={'PATH': folder, 'PYTHONPATH': folder, 'HOME': folder})


# The script against installations that have one fault each; torch and nvidia-smi are stand-ins.
def status_faults(text):
    version = re.search(r'"torch": "([\d.]+)"', text).group(1)
    faults = []
    for wrong, driver, status in FAULTS:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'verify.py')
            os.mkdir(os.path.join(folder, f'torch-{version}.dist-info'))
            files = {path: text, os.path.join(folder, 'torch.py'): STUB.format(**{**GOOD, **wrong}, version=version),
                     os.path.join(folder, f'torch-{version}.dist-info', 'METADATA'): f'Metadata-Version: 2.1\nName: torch\nVersion: {version}\n'}
            if driver:
                files[os.path.join(folder, 'nvidia-smi')] = f'#!/bin/sh\necho {driver}\n'
            for name, content in files.items():
                with open(name, 'w', encoding='utf-8') as file:
                    file.write(content)
                os.chmod(name, 0o755)
            done = run_script(path, folder)
            if done.returncode != status or 'Traceback' in done.stderr:
                faults.append(f'{wrong}, driver {driver}: status {done.returncode}, not {status}\n{done.stdout}{done.stderr}')
    return faults


def script_faults(text, folder, where):
    path = os.path.join(folder, 'verify.py')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
    try:
        py_compile.compile(path, doraise=True)
    except py_compile.PyCompileError as error:
        return [f'{where}: the script does not compile: {error}']
    numbers = {int(n) for n in re.findall(r'\bgood\((\d+),', text)}
    if numbers != set(range(1, CHECKS + 1)):
        return [f'{where}: checks {sorted(numbers)}']
    # Without PyTorch it ends with the number of the first check that fails, not with a trace.
    done = run_script(path, folder)
    if not 1 <= done.returncode <= CHECKS or 'Traceback' in done.stderr:
        return [f'{where}: without PyTorch status {done.returncode}: {done.stderr[-200:]}']
    return []


def plan_faults(answer, vendor, manager, where):
    plan = answer
    commands = plan['environment'] + plan['install']
    faults = []
    for command in commands:
        try:
            shlex.split(command.replace('\\', '/'), comments=True)
        except ValueError as error:
            faults.append(f'{where}: {command!r}: {error}')
    install = ' '.join(plan['install'])
    if manager != 'conda' and vendor in NEEDS and NEEDS[vendor] not in install and 'torch_stable.html' not in install:
        faults.append(f'{where}: no index of {vendor}: {install}')
    for package in ('torch', 'torchvision'):
        if not re.search(rf'\b{package}(-gpu)?\b', install) and 'pytorch' not in install:
            faults.append(f'{where}: no {package}: {install}')
    if not plan['tuning']:
        faults.append(f'{where}: no tuning')
    return faults


def main():
    program = os.path.abspath(sys.argv[1])
    faults = []
    scripts = refused = 0
    with tempfile.TemporaryDirectory() as folder:
        for card, system, manager in itertools.product(CARDS, SYSTEMS, MANAGERS):
            where = f'{card} {system} {manager}'
            vendor = VENDOR.get(card, 'nvidia')
            served = system in SERVED[vendor] and not (card == 'gh200' and system != 'linux')
            answer = run(program, '--gpu', card, '--os', system, '--manager', manager, '--format', 'json')
            if answer.returncode not in (0, 1) or (answer.returncode == 0) != served and card != 'gh200':
                faults.append(f'{where}: status {answer.returncode}')
                continue
            if answer.returncode == 1:
                refused += 1
                continue
            faults += plan_faults(json.loads(answer.stdout), vendor, manager, where)
            if manager != 'pip':
                continue
            script = run(program, '--gpu', card, '--os', system, '--verify-script')
            scripts += 1
            faults += script_faults(script.stdout, folder, where)
    faults += status_faults(run(program, '--gpu', 'rtx-4090', '--torch', '2.9', '--verify-script').stdout)
    if scripts < 15 or refused < 20:
        faults.append(f'{scripts} scripts, {refused} refused: too few')
    print('\n'.join(faults) or f'{scripts} scripts compile and fail as they should; {refused} questions are refused')
    sys.exit(1 if faults else 0)


main()
