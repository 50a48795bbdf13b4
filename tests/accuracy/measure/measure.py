#!/usr/bin/env python3
"""Measures one workload on this machine's GPU and prints rows for tests/accuracy/measurements.

A row is one line: class, request (the program's own vocabulary), what, value (GiB, seconds, items a second), source, and the
conditions it was measured under. Nothing but --dry-run and --help works without PyTorch.

  measure.py --model resnet50 --batch 32 --precision amp-fp16
  measure.py --model bert-base-uncased --head classification --batch 16 --seq 512 --optimizer adamw
  measure.py --model meta-llama/Llama-3.2-1B --task finetune --method qlora --seq 2048 --grad-checkpointing full
  measure.py --request '{"model": "vit_base_patch16_224", "task": "infer", "batch": 64, "precision": "fp16"}'

timm and torchvision networks and transformers models get random weights, which need the same memory and time as trained ones; only
qlora, which quantises while loading, reads a checkpoint. --path names a folder with a config.json where the hub is not to be asked.
"""
import argparse
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True

# Key: values it can have here (None: any). Other values of the vocabulary are refused rather than measured as something else.
CHOICES = {
    'model': None,
    'task': ('train', 'finetune', 'infer'),
    'head': ('lm', 'classification', 'none'),
    'method': ('full', 'lora', 'qlora'),
    'precision': ('fp32', 'tf32', 'amp-fp16', 'amp-bf16', 'fp16', 'bf16'),
    'optimizer': ('sgd', 'sgd-momentum', 'adam', 'adamw', 'adamw-8bit', 'paged-adamw-8bit', 'adafactor', 'lion'),
    'grad_checkpointing': ('none', 'full'),
    'attention': ('eager', 'sdpa', 'flash'),
    'lora_targets': None,
    'cuda_module_loading': ('lazy', 'eager'),
}
NUMBERS = ('batch', 'accumulate', 'seq', 'prompt_len', 'gen_len', 'classes', 'lora_rank')
SWITCHES = ('compile', 'channels_last', 'cudnn_benchmark')
SAME = (('gpus', 1), ('nodes', 1), ('stack', 'pytorch'), ('engine', 'pytorch'), ('engine', 'transformers'), ('loss', 'standard'),
        ('offload', 'none'))
LIBRARIES = ('timm', 'torchvision', 'transformers')


def flag(key):
    return '--' + key.replace('_', '-')


def parser():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for key, values in CHOICES.items():
        p.add_argument(flag(key), choices=values, help='any' if values is None else None)
    for key in NUMBERS:
        p.add_argument(flag(key), type=int, metavar='N')
    for key in SWITCHES:
        p.add_argument(flag(key), action='store_const', const=True)
    p.add_argument('--image', help='pixels: 224, or H,W')
    p.add_argument('--request', metavar='JSON', help='the same keys as one JSON object; flags go over it')
    p.add_argument('--library', choices=LIBRARIES, help='where the model comes from (default: transformers with --seq or a name '
                   'with "/", else timm where it is installed and knows the name, else torchvision)')
    p.add_argument('--path', help='folder with the config.json, or the weights for qlora')
    p.add_argument('--gpu', help='card to name in the rows (default: as the driver names it)')
    p.add_argument('--device', choices=('cuda', 'cpu'), default='cuda', help='cpu runs the workload to see that it works, and measures time only')
    p.add_argument('--warmup', type=int, default=5, help='steps before measuring (default 5)')
    p.add_argument('--measured-steps', type=int, default=20, help='steps measured (default 20); the median counts')
    p.add_argument('--source', default='measured with tests/accuracy/measure', help='who measured, where')
    p.add_argument('--dry-run', action='store_true', help='print the rows without their values; needs neither PyTorch nor a GPU')
    return p


def whole_image(text):
    sides = [int(side) for side in str(text).strip('[] ').split(',')]
    if len(sides) > 2 or min(sides) < 1:
        raise ValueError(f'image {text}: give one number of pixels, or H,W')
    return sides[0] if len(sides) == 1 or sides[0] == sides[1] else sides


def is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def given(arguments):
    """The keys that were asked for, from --request and the flags."""
    request = json.loads(arguments.request) if arguments.request else {}
    if not isinstance(request, dict):
        raise ValueError('--request is not a JSON object')
    card = request.pop('gpu', None)
    arguments.gpu = arguments.gpu or card
    for key in (*CHOICES, *NUMBERS, *SWITCHES, 'image'):
        value = getattr(arguments, key)
        if value is not None:
            request[key] = value
    for key, value in request.items():
        values = CHOICES.get(key, ())
        if values is None or key == 'image' or (key in SWITCHES and isinstance(value, bool)) or (key in NUMBERS and is_count(value)):
            continue
        if not values or value not in values:
            # One card, one process: what says the same in the vocabulary is no obstacle.
            if (key, value) in SAME:
                continue
            raise ValueError(f'{key} {json.dumps(value)} cannot be measured by this script')
    if 'image' in request:
        request['image'] = whole_image(json.dumps(request['image']).strip('"'))
    if not request.get('model'):
        raise ValueError('no model: give --model')
    return request


def completed(request, library):
    """Every key that decides the measurement, so that a row does not lean on the program's defaults."""
    text = library == 'transformers'
    infer = request.get('task') == 'infer'
    adapters = request.get('method', 'full') != 'full'
    head = request.get('head', 'lm' if adapters or request.get('task') == 'finetune' else 'classification') if text else None
    whole = {'task': 'finetune' if adapters else 'train', 'engine': 'pytorch', 'batch': 1, 'gpus': 1,
             'precision': ('bf16' if head == 'lm' else 'fp32') if infer else 'bf16' if adapters else 'fp32',
             'cuda_module_loading': 'lazy'}
    if text:
        whole.update(head=head, seq=512, attention='sdpa')
        if infer and head == 'lm':
            whole.update(engine='transformers', gen_len=128)
    if not infer:
        whole.update(method='full', optimizer='adamw' if text else 'sgd-momentum', accumulate=1, grad_checkpointing='none')
        if text:
            whole['stack'] = 'pytorch'  # run.py's own loop, not a trainer's
        if adapters:
            whole.update(lora_rank=16, lora_targets='q,v')
    whole.update(request)
    if infer and head == 'lm':
        whole.setdefault('prompt_len', max(1, whole['seq'] - whole['gen_len']))
        whole['seq'] = whole['prompt_len'] + whole['gen_len']
    check(whole, library)
    return whole


def check(whole, library):
    infer, adapters = whole['task'] == 'infer', whole.get('method', 'full') != 'full'
    faults = []
    if infer and (adapters or whole.get('optimizer') or whole.get('grad_checkpointing', 'none') != 'none'):
        faults.append('inference has no method, optimizer or checkpointing')
    if infer and whole['precision'].startswith('amp') and whole.get('head') == 'lm':
        faults.append('generation is measured in one type: fp32, fp16 or bf16')
    if adapters and (library != 'transformers' or whole['head'] != 'lm'):
        faults.append('lora and qlora need a language model of transformers')
    if library != 'transformers' and 'seq' in whole:
        faults.append('seq needs a model of transformers')
    if library == 'transformers' and ('image' in whole or 'channels_last' in whole):
        faults.append('image and channels_last need a network of timm or torchvision')
    if library == 'torchvision' and (whole.get('grad_checkpointing') == 'full' or 'attention' in whole):
        faults.append('torchvision has neither checkpointing nor a choice of attention')
    if faults:
        raise ValueError('; '.join(faults))


def field_classes(whole):
    """-> (class of the memory rows, class of the speed rows)"""
    infer = whole['task'] == 'infer'
    head = whole.get('head')
    if head is None:
        return ('vision-infer', 'speed:vision-infer') if infer else ('vision-train', 'speed:vision-train')
    if head == 'lm':
        method = whole.get('method', 'full')
        return ('llm-infer:total', 'speed:llm-decode') if infer else ('llm-' + method, 'speed:llm-train')
    return ('encoder-infer', 'speed:encoder-infer') if infer else ('encoder-train', 'speed:encoder-train')


def whats(whole):
    """Figures of a workload: what -> whether it belongs to speed."""
    figures = {'allocated': False, 'reserved': False, 'device': False}
    if whole['task'] == 'infer' and whole.get('head') == 'lm':
        figures.update(prefill=True, decode=True)
    else:
        figures.update(step_seconds=True, throughput=True)
    return figures


def throughput(whole, step_seconds):
    items = whole['batch'] * whole.get('accumulate', 1)
    if whole.get('head') == 'lm':
        items *= whole['seq']
    return items / step_seconds


def rows(whole, values, conditions, source):
    memory, speed = field_classes(whole)
    for what, is_speed in whats(whole).items():
        name = speed
        if not is_speed:
            name = memory
        elif what == 'prefill':
            name = 'speed:llm-prefill'
        if values is None or values.get(what) is not None:
            yield {'class': name, 'request': whole, 'what': what, 'value': None if values is None else float(f'{values[what]:.5g}'),
                   'source': source, 'conditions': conditions}


def library_of(arguments, request):
    if arguments.library:
        return arguments.library
    if 'seq' in request or '/' in request['model'] or 'head' in request or request.get('method', 'full') != 'full':
        return 'transformers'
    if arguments.dry_run:
        return 'timm'
    try:
        import timm
        return 'timm' if timm.is_model(request['model']) else 'torchvision'
    except ImportError:
        return 'torchvision'


def main():
    arguments = parser().parse_args()
    try:
        request = given(arguments)
        library = library_of(arguments, request)
        whole = completed(request, library)
    except (ValueError, TypeError) as error:
        print(f'measure: {error}', file=sys.stderr)
        return 2
    if arguments.gpu:
        whole['gpu'] = arguments.gpu
    values, conditions = None, {'library': library, 'warmup': arguments.warmup, 'steps': arguments.measured_steps}
    if not arguments.dry_run:
        # Both are read when their libraries load.
        os.environ['CUDA_MODULE_LOADING'] = whole['cuda_module_loading'].upper()
        os.environ['TIMM_FUSED_ATTN'] = '0' if whole.get('attention') == 'eager' else '1'
        sys.path.insert(0, HERE)
        try:
            import run
            values, conditions = run.measure(whole, library, arguments)
            if 'step_seconds' in values:
                values['throughput'] = throughput(whole, values['step_seconds'])
        except ImportError as error:
            print(f'measure: {error}; --dry-run needs none of it', file=sys.stderr)
            return 4
    for row in rows(whole, values, conditions, arguments.source):
        print(json.dumps(row))
    return 0


if __name__ == '__main__':
    sys.exit(main())
