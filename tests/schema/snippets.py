#!/usr/bin/env python3
"""Snippets of remedies are code: Python and JSON are parsed, shell is read by bash, and the remedy's own numbers are in them.

usage: snippets.py PROGRAM
"""
import ast
import json
import re
import shutil
import subprocess
import sys

# The job, and what its snippets together must hold.
JOBS = [
    ('--model resnet50 --batch 512 --candidates rtx-2060', ['torch.amp.autocast("cuda", dtype=torch.float16)', 'torch.amp.GradScaler("cuda")']),
    ('--model resnet50 --batch 512 --candidates rtx-3060-12gb', ['/ 8', 'torchrun --standalone --nproc_per_node 2']),
    ('--model llama-2-7b --task finetune --batch 1 --seq 512 --budget 700', ['LoraConfig(r=16', 'load_in_4bit=True']),
    ('--model llama-2-7b --task finetune --batch 8 --candidates rtx-3090', ['per_device_train_batch_size=']),
    ('--model llama-3.1-8b --task finetune --gpus 1 --candidates a100-80gb-sxm', ['optim="']),
    ('--model qwen2.5-1.5b --task finetune --batch 4 --candidates rtx-3090', ['TrainingArguments(']),
    ('--model llama-2-70b --task finetune --method qlora --gpus 4 --strategy ddp --candidates rtx-3090',
     ['bnb_4bit_quant_storage=torch.bfloat16', 'fsdp_version: 2', 'save_on_cpu(pin_memory=True)']),
    ('--model llama-2-7b --task finetune --gpus 8 --strategy ddp --candidates a100-80gb-sxm', ['accelerate launch', 'fsdp_version: 2']),
    ('--model llama-2-7b --task train --stack hf-deepspeed --gpus 8 --strategy ddp --candidates a100-80gb-sxm', ['"stage": 3']),
    ('--model llama-2-7b --task train --gpus 8 --strategy ddp --candidates a100-80gb-sxm', ['fully_shard(model, mp_policy=policy)']),
    ('--model gpt2-xl --task train --stack none --batch 8 --candidates rtx-3090', []),
    ('--model bert-large --task train --batch 64 --candidates rtx-3060-12gb', ['loss = model(**batch).loss']),
    ('--model vit_large_patch16_224 --batch 256 --candidates rtx-3060-12gb --allow-shorter-input', []),
    ('--model sdxl --task finetune --batch 8 --candidates rtx-3060-12gb', ['model.']),
    ('--model flux.1-dev --task finetune --candidates rtx-3090', ['LoraConfig(']),
    ('--model flux.1-dev --task infer --candidates rtx-3060-12gb', ['pipe.enable_sequential_cpu_offload()', 'bitsandbytes_4bit']),
    ('--model sdxl --task infer --batch 4 --candidates rtx-3060-12gb', ['pipe.vae.enable_tiling()']),
    ('--model resnet152 --task infer --batch 512 --image 512 --candidates gtx-1650-gddr6', ['model.to(torch.float16)']),
    ('--model llama-3.1-8b --task infer --engine vllm --concurrency 64 --candidates rtx-4070', ['vllm serve', '--max-num-seqs ']),
    ('--model llama-3.1-70b --task infer --engine vllm --gpus 1 --candidates a100-80gb-sxm', ['--tensor-parallel-size 2']),
    ('--model llama-3.1-70b --task infer --engine sglang --gpus 1 --candidates a100-80gb-sxm', ['--tp 2']),
    ('--model llama-3.1-70b --task infer --engine tensorrt-llm --gpus 1 --candidates a100-80gb-sxm', ['--tp_size 2']),
    ('--model llama-3.1-70b --task infer --engine llama.cpp --gpus 1 --candidates rtx-3090', ['--n-gpu-layers ', '--tensor-split 1,1']),
    ('--model mixtral-8x7b --task infer --engine llama.cpp --gpus 1 --candidates rtx-3060-12gb', ['--cpu-moe']),
    ('--model llama-2-13b --task infer --engine transformers --gpus 1 --seq 2048 --candidates rtx-4090', ['BitsAndBytesConfig(', 'max_memory={0: ']),
    ('--model llama-3.1-8b --task finetune --stack axolotl --batch 8 --candidates rtx-4090', ['axolotl train config.yaml', 'micro_batch_size: ']),
    ('--model llama-3.1-8b --task finetune --stack unsloth --candidates rtx-4090', ['FastLanguageModel.from_pretrained(', 'load_in_4bit=True']),
    ('--model llama-3.1-8b --task finetune --stack torchtune --batch 4 --candidates rtx-4090', ['tune run ', 'lora_finetune_single_device']),
    ('--model llama-3.1-8b --task train --stack torchtitan --gpus 1 --candidates h100-80gb-sxm', ['./run_train.sh', 'local_batch_size 1']),
    ('--model llama-3.1-8b --task finetune --stack litgpt --batch 8 --candidates rtx-4090', ['litgpt finetune_lora', '--quantize bnb.nf4']),
    ('--model llama-3.1-8b --task finetune --stack ms-swift --batch 8 --candidates rtx-4090', ['swift sft', '--quant_bits 4']),
    ('--model resnet50 --stack timm --batch 512 --candidates rtx-3060-12gb', ['--grad-accum-steps 8', '--amp --amp-dtype bfloat16']),
    ('--model yolov8x --stack ultralytics --batch 64 --candidates rtx-3060-12gb', ['yolo train', 'nbs=']),
    ('--model mask-rcnn-r50-fpn --batch 64 --candidates rtx-3060-12gb', []),
    ('--embedding-rows 1000000000 --embedding-dim 64 --task train --candidates rtx-3090', []),
]
BLOCK = re.compile(r'^```(\w+)\n(.*?)^```\n', re.M | re.S)
# Said to be outdated in comments, used nowhere.
OUTDATED = re.compile(r'torch\.cuda\.amp|apex\.amp|torch_dtype=.*AutoModel|evaluation_strategy')


def faults_of_block(language, text):
    if language == 'python':
        try:
            ast.parse(text)
        except SyntaxError as error:
            yield f'no Python: {error}\n{text}'
        for line in text.splitlines():
            if OUTDATED.search(line.split('#')[0]):
                yield f'outdated form: {line}'
    elif language == 'json':
        try:
            json.loads(text)
        except ValueError as error:
            yield f'no JSON: {error}\n{text}'
    elif language == 'bash' and shutil.which('bash'):
        done = subprocess.run(['bash', '-n'], input=text, capture_output=True, text=True)
        if done.returncode:
            yield f'no shell: {done.stderr}'
    elif language not in ('bash', 'yaml'):
        yield f'unknown language {language}'


def faults_of_remedy(remedy):
    snippet, settings = remedy['snippet'], remedy['settings']
    if snippet is None:
        return
    blocks = BLOCK.findall(snippet)
    if not blocks or snippet.count('```') != 2 * len(blocks):
        yield f'fences do not match:\n{snippet}'
    for language, text in blocks:
        yield from faults_of_block(language, text)
    for key in ('batch', 'accumulate', 'lora_rank', 'gpus'):
        if key in settings and settings[key] > 1 and not re.search(rf'\b{settings[key]:g}\b|{"1,1|0,1" if key == "gpus" else "$^"}|device_map|nbs=|global_batch', snippet):
            yield f'{key} {settings[key]:g} is not in the snippet:\n{snippet}'


def main():
    program, faults, seen, languages = sys.argv[1], [], 0, set()
    for job, wanted in JOBS:
        done = subprocess.run([program, *job.split(), '--snippets', '--format', 'json', '--no-user-data'], capture_output=True, text=True)
        if done.returncode not in (0, 1):
            faults.append(f'{job}: ended {done.returncode}: {done.stderr}')
            continue
        remedies = json.loads(done.stdout)['remedies']
        snippets = ''.join(remedy['snippet'] or '' for remedy in remedies)
        seen += sum(remedy['snippet'] is not None for remedy in remedies)
        languages |= {language for language, _ in BLOCK.findall(snippets)}
        faults += [f'{job}: {remedy["id"]}: {fault}' for remedy in remedies for fault in faults_of_remedy(remedy)]
        faults += [f'{job}: {text!r} is in none of {[remedy["id"] for remedy in remedies]}' for text in wanted if text not in snippets]
    if not languages >= {'python', 'json', 'bash', 'yaml'}:
        faults.append(f'only {sorted(languages)} were seen')
    print('\n'.join(faults[:40]) or f'snippets: {seen} snippets for {len(JOBS)} jobs are valid')
    sys.exit(1 if faults else 0)


main()
