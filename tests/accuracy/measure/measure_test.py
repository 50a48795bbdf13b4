#!/usr/bin/env python3
"""Tests of measure.py that need neither PyTorch nor a GPU.

usage: measure_test.py PROGRAM    PROGRAM must understand every request that measure.py prints
"""
import json
import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, 'measure.py')
PROGRAM = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else None

WORKLOADS = [
    ['--model', 'resnet50', '--batch', '32'],
    ['--model', 'resnet50', '--batch', '64', '--precision', 'amp-fp16', '--channels-last', '--cudnn-benchmark', '--image', '160'],
    ['--model', 'vit_base_patch16_224', '--precision', 'amp-bf16', '--grad-checkpointing', 'full', '--compile', '--optimizer', 'adamw'],
    ['--model', 'efficientnet_b0', '--task', 'infer', '--batch', '128', '--precision', 'fp16', '--classes', '10'],
    ['--model', 'bert-base-uncased', '--head', 'classification', '--batch', '16', '--seq', '512', '--attention', 'eager'],
    ['--model', 'meta-llama/Llama-3.2-1B', '--precision', 'amp-bf16', '--seq', '2048', '--task', 'finetune', '--accumulate', '4'],
    ['--model', 'meta-llama/Llama-3.2-1B', '--method', 'lora', '--lora-rank', '8', '--lora-targets', 'all-linear', '--seq', '1024'],
    ['--model', 'meta-llama/Llama-3.2-1B', '--method', 'qlora', '--grad-checkpointing', 'full', '--optimizer', 'paged-adamw-8bit'],
    ['--model', 'meta-llama/Llama-3.2-1B', '--task', 'infer', '--head', 'lm', '--prompt-len', '512', '--gen-len', '64'],
]

# -S leaves out the folders of installed packages: PyTorch is not to be found even where it is installed.
def run(*arguments):
    return subprocess.run([sys.executable, '-S', SCRIPT, *arguments], capture_output=True, text=True)


def rows(*arguments):
    done = run(*arguments, '--dry-run')
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


class Measure(unittest.TestCase):
    def test_help(self):
        done = run('--help')
        self.assertEqual(done.returncode, 0)
        self.assertIn('--grad-checkpointing', done.stdout)

    def test_rows_have_the_format_of_the_measurements(self):
        known = set()
        for name in os.listdir(os.path.join(HERE, '..', 'measurements')):
            with open(os.path.join(HERE, '..', 'measurements', name), encoding='utf-8') as file:
                known.update((row['class'], row['what']) for group in json.load(file)['sources'] for row in group['rows'])
        whats = {what for _, what in known}
        classes = {name for name, _ in known} | {'vision-infer', 'encoder-infer', 'speed:encoder-infer'}
        for workload in WORKLOADS:
            for row in rows(*workload):
                self.assertEqual(set(row), {'class', 'request', 'what', 'value', 'source', 'conditions'})
                self.assertIsNone(row['value'])
                self.assertIn(row['what'], whats)
                self.assertIn(row['class'], classes)

    def test_requests_say_what_was_asked(self):
        row = rows(*WORKLOADS[1])[0]
        self.assertEqual(row['class'], 'vision-train')
        for key, value in {'model': 'resnet50', 'batch': 64, 'precision': 'amp-fp16', 'channels_last': True, 'cudnn_benchmark': True,
                           'image': 160, 'optimizer': 'sgd-momentum', 'grad_checkpointing': 'none'}.items():
            self.assertEqual(row['request'][key], value)
        row = rows('--model', 'resnet50', '--image', '320,640', '--gpu', 'rtx-3090')[0]
        self.assertEqual((row['request']['image'], row['request']['gpu']), ([320, 640], 'rtx-3090'))

    def test_generation_measures_both_phases(self):
        found = {row['what']: row['class'] for row in rows(*WORKLOADS[-1])}
        self.assertEqual(found['prefill'], 'speed:llm-prefill')
        self.assertEqual(found['decode'], 'speed:llm-decode')
        self.assertNotIn('step_seconds', found)
        self.assertEqual(rows(*WORKLOADS[-1])[0]['request']['seq'], 576)

    def test_flags_go_over_a_request_in_json(self):
        text = json.dumps({'model': 'resnet50', 'batch': 8, 'gpus': 1, 'gpu': 'rtx-3090'})
        request = rows('--request', text, '--batch', '16')[0]['request']
        self.assertEqual((request['batch'], request['gpu']), (16, 'rtx-3090'))
        self.assertEqual(rows('--request', text, '--gpu', 'rtx-4090')[0]['request']['gpu'], 'rtx-4090')

    def test_every_published_kind_of_row_that_one_card_can_show_is_read_again(self):
        row = {'model': 'resnet50', 'task': 'train', 'engine': 'pytorch', 'precision': 'fp32', 'optimizer': 'sgd-momentum', 'batch': 32,
               'image': 224, 'gpus': 1, 'cuda_module_loading': 'eager', 'gpu': 'a100-40gb-pcie'}
        printed = rows('--request', json.dumps(row))[0]['request']
        self.assertEqual({key: printed[key] for key in row}, row)

    def test_what_it_cannot_measure_is_refused(self):
        for arguments in (['--batch', '3'], ['--request', '{"model": "resnet50", "gpus": 8}'], ['--request', '{"model": "resnet50", "batch": 0}'],
                          ['--request', '{"model": "llama", "precision": "int4-gptq"}'], ['--request', '[]'], ['--request', '{'],
                          ['--model', 'resnet50', '--image', '1,2,3'], ['--model', 'resnet50', '--library', 'timm', '--method', 'lora'],
                          ['--model', 'resnet50', '--task', 'infer', '--optimizer', 'adamw'],
                          ['--model', 'resnet50', '--library', 'torchvision', '--grad-checkpointing', 'full'],
                          ['--model', 'a/b', '--image', '224'], ['--model', 'a', '--library', 'timm', '--seq', '128']):
            done = run(*arguments, '--dry-run')
            self.assertEqual(done.returncode, 2, arguments)
            self.assertTrue(done.stderr.startswith('measure: '), done.stderr)
            self.assertEqual(done.stdout, '')

    def test_without_pytorch_it_says_so(self):
        done = run('--model', 'resnet50', '--library', 'torchvision')
        self.assertEqual(done.returncode, 4)
        self.assertIn('--dry-run', done.stderr)

    @unittest.skipIf(PROGRAM is None, 'no program given')
    def test_the_program_answers_every_request(self):
        lines = [json.dumps(rows(*workload, '--gpu', 'rtx-4090')[0]['request']) for workload in WORKLOADS]
        done = subprocess.run([PROGRAM, 'estimate', '--jsonl', '-'], input='\n'.join(lines) + '\n', capture_output=True, text=True)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(answers), len(lines))
        for line, answer in zip(lines, answers):
            self.assertTrue(answer['ok'], (line, answer.get('error')))
        self.assertEqual(done.returncode, 0)


if __name__ == '__main__':
    unittest.main()
