#!/usr/bin/env python3
"""Each remedy's settings, written as flags, make `check` accept the card that the remedy names.

usage: remedies.py PROGRAM
"""
import json
import subprocess
import sys

JOBS = [
    '--model llama-2-7b --task finetune --batch 1 --seq 512 --budget 700',
    '--model resnet50 --batch 512 --candidates rtx-3060-12gb',
    '--model llama-2-70b --task finetune --method qlora --gpus 4 --strategy ddp --candidates rtx-3090',
    '--model llama-3.1-8b --task finetune --method lora --batch 16 --seq 4096 --candidates rtx-4090',
    '--model llama-3.1-8b --task infer --engine vllm --concurrency 32 --seq 8192 --gpus 1 --candidates rtx-3090 --allow-shorter-input',
    '--model mixtral-8x7b --task infer --engine llama.cpp --gpus 1 --candidates rtx-3060-12gb',
    '--model flux.1-dev --task infer --candidates rtx-3060-12gb --allow-shorter-input',
    '--model sdxl --task infer --batch 4 --candidates gtx-1080-ti,rtx-3060-12gb --precision fp32',
    '--model resnet152 --task infer --batch 512 --image 512 --candidates gtx-1650-gddr6',
    '--model mask-rcnn-r50-fpn --batch 2 --image 2048 --candidates gtx-1650-gddr6 --allow-shorter-input',
    '--model bert-large --task train --batch 64 --budget 400 --os windows',
    '--model sdxl --task finetune --batch 8 --candidates rtx-2080-ti',
    '--model mamba-2.8b --task finetune --batch 32 --source both --budget 200',
    '--model llama-2-13b --task finetune --source rent --gpus 1 --candidates rtx-4090,a100-80gb-sxm',
    '--model llama-2-7b --task train --gpus 8 --strategy ddp --candidates a100-80gb-sxm',
    '--model llama-3.1-70b --task infer --precision fp16 --candidates rtx-4090',
    '--model flux.1-dev --task infer --candidates gtx-1060-6gb',
    '--model flux.1-dev --task finetune --method lora --candidates rtx-3090,rtx-a6000',
    '--model dlrm --task train --batch 65536 --candidates rtx-a6000',
]


def run(program, arguments):
    done = subprocess.run([program, *arguments, '--format', 'json', '--no-user-data'], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise RuntimeError(f'{" ".join(arguments)}: ended {done.returncode}: {done.stderr}')
    return done.returncode, json.loads(done.stdout)


def flag_text(value):
    if isinstance(value, list):
        return ','.join(flag_text(item) for item in value)
    return f'{value:g}' if isinstance(value, float) and value < 1e6 else str(value)


def pairs(arguments):
    """Flags with their values; a switch has none."""
    found, words = {}, list(arguments)
    while words:
        flag = words.pop(0)
        found[flag] = words.pop(0) if words and not words[0].startswith('--') else None
    return found


def applied(job, remedy):
    flags = pairs(job.split())
    flags.pop('--allow-shorter-input', None)
    flags['--candidates'] = remedy['gpu']
    for key, value in remedy['settings'].items():
        if isinstance(value, bool):
            flags[('--' if value else '--no-') + key.replace('_', '-')] = None
        else:
            flags['--' + key.replace('_', '-')] = flag_text(value)
    return [word for flag, value in flags.items() for word in ([flag] if value is None else [flag, value])]


def main():
    program, faults, seen = sys.argv[1], [], 0
    for job in JOBS:
        _, answer = run(program, job.split())
        if not answer['remedies']:
            faults.append(f'{job}: no remedies')
        for remedy in answer['remedies']:
            seen += 1
            arguments = ['check', *applied(job, remedy)]
            status, checked = run(program, arguments)
            held = [r for r in checked['results'] if r['gpu'] == remedy['gpu'] and r['count'] == remedy['count']]
            wanted = remedy['memory']['need_bytes']['expected']
            # A budget for a card of the same price is not the remedy's business, but what it needs is.
            if status != 0 or not held:
                faults.append(f'{" ".join(arguments)}: ended {status}: {[r["message"] for r in checked["rejected"]]}')
            elif abs(held[0]['memory']['need_bytes']['expected'] - wanted) > 1e-6 * wanted:
                faults.append(f'{" ".join(arguments)}: needs {held[0]["memory"]["need_bytes"]["expected"]}, promised {wanted}')
            elif held[0]['fit']['verdict'] != remedy['fit']['verdict']:
                faults.append(f'{" ".join(arguments)}: {held[0]["fit"]["verdict"]}, promised {remedy["fit"]["verdict"]}')
    print('\n'.join(faults[:40]) or f'remedies: {seen} for {len(JOBS)} jobs hold as flags')
    sys.exit(1 if faults else 0)


main()
