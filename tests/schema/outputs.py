#!/usr/bin/env python3
"""Validates what the program really prints against data/schema.

usage: outputs.py PROGRAM SCHEMA_DIR
"""
import json
import os
import subprocess
import sys

import jsonschema

RECOMMEND = [
    '--model resnet50 --batch 32 --budget 500',
    '--model resnet50 --batch 32 --candidates gtx-1650-gddr6',
    '--model llama-2-7b --task infer --precision fp16 --candidates rtx-4090',
    '--model llama-2-7b --task train --candidates rtx-4090',
    '--model Qwen/Qwen2.5-7B --task finetune --method qlora --seq 2048 --budget 800',
    '--params 13B --task infer --precision int4-awq --source both',
    '--model sdxl --task infer --budget 1500 --remedies',
    '--model resnet50 --batch 512 --candidates rtx-3060-12gb --snippets',
    '--model resnet50 --batch 512 --budget 300 --why-not rtx-4090 --why-not gtx-1060-6gb,rtx-3060-12gb',
    '--model llama-2-7b --task finetune --candidates rtx-4090 --why-not rtx-3090,rtx-4090-laptop',
    '--field llm --tier student --source both',
    '--model llama-3.1-8b --task train --gpus 8 --candidates a100-80gb-sxm,rtx-3090',
    '--model resnet50 --batch 32 --have rtx-3090,rtx-3060-12gb --candidates rtx-3090,rtx-3060-12gb',
]
ESTIMATE = [
    {'id': 1, 'model': 'resnet50', 'batch': 32, 'gpu': 'rtx-3090'},
    {'id': 'two', 'model': 'llama-3.1-8b', 'task': 'infer', 'engine': 'vllm', 'gpu': 'a100-80gb-sxm'},
    {'id': None, 'model': 'bert-base', 'batch': 16, 'seq': 512},
    {'model': 'resnet5O'},
    {'model': 'resnet50', 'batch': 0, 'precision': 'fp12'},
    {'model': 'mask-rcnn-r50-fpn', 'batch': 2, 'gpu': 'v100-sxm2-32gb'},
    {'model': 'sdxl', 'task': 'infer', 'gpu': 'rtx-4090'},
    {'field': 'diffusion', 'gpu_memory_gib': 12},
    {'model': 'llama-2-7b', 'task': 'train', 'grad_checkpointing': 'none', 'gpu': 'rtx-3090'},
    {'model': 'bert-large', 'gpus': 4, 'nodes': 2, 'network_gbit_s': 25, 'nvlink_bridge': True, 'gpu': 'a40'},
]
# Other commands: the schema, the arguments, and whether each line is an answer of its own.
OTHERS = [
    ('solve', 'solve batch --model resnet50 --gpu rtx-3090 --round --format json', False),
    ('solve', 'solve gpus --model llama-3.1-70b --task infer --precision fp16 --engine vllm --gpu rtx-3090 --format json', False),
    ('solve', 'solve batch --model llama-2-7b --task train --gpu rtx-3090 --format json', False),
    ('solve', 'solve seq --model gpt2 --task train --gpu h100-80gb-sxm --format json', False),
    ('matrix', 'matrix --model resnet50 --over precision=fp32,fp12 --over batch=1..64 --candidates rtx-3090 --format jsonl', True),
    ('compat', 'compat --gpu rtx-5090 --torch 2.5 --format json', False),
    ('compat', 'compat --gpu v100-sxm2-16gb,rtx-5090 --needs flash-attn --format json', False),
    ('compat', 'compat --gpu rx-6700-xt --format json', False),
    ('compat', 'compat --gpu rx-7900-xtx --os windows --format json', False),
    ('setup', 'setup --gpu gtx-1080-ti --driver 595 --format json', False),
    ('setup', 'setup --gpu apple-m2-max-38core --manager uv --format json', False),
    ('doctor', 'doctor tests/golden/inputs/faults.log --format json', False),
    ('doctor', 'doctor tests/golden/inputs/oom.log --model llama-2-7b --task finetune --batch 4 --format json', False),
    ('host', 'host --from tests/data/host/mixed.csv --from tests/data/host/rocm-smi.json --format json', False),
    ('recommend', 'check --model resnet50 --candidates rtx-5090,gtx-1080-ti,rx-7900-xtx --torch 2.1 --driver 535 --format json', False),
    ('recommend', '--model resnet50 --have host --from tests/golden/inputs/one_3090.csv --limit 2 --format json', False),
    ('host', 'host --from tests/data/host/mig.xml --format json', False),
    ('host', 'host --from tests/data/host/topology.txt --format json', False),
    ('explain', 'explain rtx-3090 --model resnet50 --batch 32 --format json', False),
    ('explain', 'explain a100-80gb-sxm --model llama-3.1-8b --task train --gpus 8 --format json', False),
    ('matrix', 'matrix --model resnet50 --over gpus=1,2,4 --candidates rtx-3090 --format jsonl', True),
    ('explain', 'explain gtx-1650-gddr6 --model llama-2-7b --task finetune --method qlora --format json', False),
    ('compare', 'compare rtx-3090 rtx-4090 gtx-1650-gddr6 rubin-r200 --model llama-3.1-8b --task infer --engine vllm --format json', False),
]


def load(folder, name):
    with open(os.path.join(folder, name), encoding='utf-8') as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def main():
    program, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
    recommend, estimate = load(folder, 'recommend.schema.json'), load(folder, 'estimate.schema.json')
    errors = []
    for line in RECOMMEND:
        done = subprocess.run([program, *line.split(), '--format', 'json', '--no-user-data'], capture_output=True, text=True)
        if done.returncode not in (0, 1):
            errors.append(f'{line}: ended {done.returncode}: {done.stderr}')
            continue
        errors += [f'{line}: {"/".join(map(str, e.path))}: {e.message[:200]}' for e in recommend.iter_errors(json.loads(done.stdout))]
    done = subprocess.run([program, 'estimate', '--jsonl', '-'], input=''.join(json.dumps(r) + '\n' for r in ESTIMATE), capture_output=True,
                          text=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(ESTIMATE):
        errors.append(f'estimate: {len(answers)} answers to {len(ESTIMATE)} requests')
    for answer in answers:
        errors += [f'estimate {answer.get("id")}: {"/".join(map(str, e.path))}: {e.message[:200]}' for e in estimate.iter_errors(answer)]
    for name, line, each in OTHERS:
        schema = load(folder, f'{name}.schema.json')
        done = subprocess.run([program, *line.split(), '--no-user-data'], capture_output=True, text=True, cwd=root)
        if done.returncode not in (0, 1) or not done.stdout:
            errors.append(f'{line}: ended {done.returncode}: {done.stderr}')
            continue
        for text in done.stdout.splitlines() if each else [done.stdout]:
            errors += [f'{line}: {"/".join(map(str, e.path))}: {e.message[:200]}' for e in schema.iter_errors(json.loads(text))]
    print('\n'.join(errors[:40]) or f'schema: {len(RECOMMEND)} recommendations, {len(answers)} estimates and {len(OTHERS)} others are valid')
    sys.exit(1 if errors else 0)


main()
