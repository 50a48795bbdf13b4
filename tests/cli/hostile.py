#!/usr/bin/env python3
"""What a hostile or careless command line gets: a refusal in words with the right exit status, never a crash and never silence.

usage: hostile.py PROGRAM
"""
import json
import os
import re
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(sys.argv[1])
JOB = ['--model', 'resnet50', '--batch', '8']
ONE = JOB + ['--candidates', 'rtx-4090']
RANKING = [['--sort', 'price_usd'], ['--columns', 'gpu'], ['--limit', '1'], ['-q']]
NO_RANKING = {'estimate': JOB, 'solve': ['batch', '--model', 'resnet50', '--gpu', 'rtx-4090'], 'explain': ['rtx-4090', *JOB],
              'compare': ['rtx-4090', 'rtx-3090', *JOB], 'compat': ['--gpu', 'rtx-4090'], 'setup': ['--gpu', 'rtx-4090']}
failures = []


def run(arguments, stdin='', shell='', **environment):
    with tempfile.TemporaryDirectory() as folder:
        env = {'PATH': os.environ.get('PATH', ''), 'HOME': folder, 'COLUMNS': '80', 'TERM': 'dumb', **environment}
        command = ['bash', '-c', '"$0" "$@" ' + shell, PROGRAM, *arguments] if shell else [PROGRAM, *arguments]
        done = subprocess.run(command, input=stdin.encode(), capture_output=True, env=env, timeout=60)
    return done.returncode, done.stdout.decode('utf-8', 'replace'), done.stderr.decode('utf-8', 'replace')


def expect(what, holds, seen):
    if not holds:
        failures.append(f'{what}\n    {str(seen)[:400]}')


def refused(arguments, words, status=2, **more):
    """One error with a remedy, no answer, and no character that steers a terminal."""
    rc, out, err = seen = run(arguments, **more)
    what = 'not refused well: ' + ' '.join(map(repr, arguments))
    expect(what, rc == status and not out and words in err, seen)
    expect(what + ' (error:, help:)', err.startswith('error: ') and '\nhelp: ' in err, seen)
    expect(what + ' (control characters)', not re.search(r'[\x00-\x08\x0b-\x1f\x7f-\x9f]', err), seen)


def switches():
    for flag in ('--remedies=no', '--snippets=1', '--verbose=x', '--quiet=', '--no-user-data=0', '--no-compile=1'):
        refused(ONE + [flag], 'takes no value')
    for value in ('', '-1', '2', 'maybe', '1e99'):
        refused(ONE + ['--compile=' + value], 'neither true nor false')
    for value, wanted in (('off', False), ('0', False), ('on', True), ('1', True)):
        rc, out, err = run(['estimate', *JOB, '--compile=' + value, '--format', 'json'])
        expect(f'--compile={value}', rc == 0 and json.loads(out)['request']['compile'] == {'value': wanted, 'origin': 'user'}, (rc, err))


def values():
    refused(['--model', 'a\x1b[31mb\x7f'], r"a\x1b[31mb\x7f")
    refused(['--model', 'a\u009b31mb'], r'a\x9b31mb')
    refused(['--model', 'resnet50', '--batch', '-3'], "'-3'")
    refused(['estimate', '--model', 'resnet50', '--batch', 'x'], 'see gpuadvise estimate --help')
    for date in ('yesterday', '2026-13', '2026-01-32', '26', '2026/01', ' '):
        refused(ONE + ['--as-of', date], 'is no date')
    for date in ('2026', '2026-01', '2026-01-31'):
        expect('--as-of ' + date, run(ONE + ['--as-of', date])[0] == 0, date)
    for targets in (' ', ',', ',;'):
        refused(['estimate', '--model', 'llama-3.1-8b', '--lora-targets', targets], 'lora_targets')
    refused(['estimate', *JOB, '--gpu', ' '], 'names no card')
    refused(['help', 'units', 'more'], "'more'")
    refused(ONE + ['--price', 'rtx-4090=1e12'], 'no plausible price')
    refused(ONE + ['--price', 'rtx-4090=500,rtx-4090=600'], 'two prices')
    refused(ONE + ['--columns', ','], 'names no column')
    refused(['--model', 'resnet50', 'extra'], "unexpected argument 'extra'")
    refused(['setup', '--gpu', 'rtx-4090', '--torch', '2.8', '--torch', '2.7'], '--torch was given 2 times')
    refused(['estimate', *JOB, '--batch', '9'], '--batch was given 2 times')
    refused(['host', '--raw', '--format', 'json'], 'no effect')


def options_without_effect():
    for command, arguments in NO_RANKING.items():
        for flag in RANKING:
            refused([command, *arguments, *flag], 'unknown option')
        expect(command + ' --help', not re.search('--limit|--sort|--columns|--quiet', run([command, '--help'])[1]), command)
    for command in ('compat', 'setup', 'doctor'):
        arguments = [] if command == 'doctor' else ['--gpu', 'rtx-4090']
        refused([command, *arguments, '--format', 'jsonl'], 'prints table or json')
    refused(['setup', '--gpu', 'tesla-k80', '--torch', '2.8', '--format', 'csv'], 'prints table or json')
    refused(['setup', '--gpu', 'rtx-4090', '--verify-script', '--format', 'json'], 'no effect')
    refused(['estimate', '--jsonl', '-', '--output', '/nowhere/x.jsonl'], 'no effect')
    refused(['estimate', '--jsonl', '-', '--format', 'table'], 'no effect')
    for command in ('estimate', 'solve', 'export'):
        expect(command + ' --help names --gpu', '  --gpu LIST' in run([command, '--help'])[1], command)


def cards_at_hand():
    for many in ('200x rtx-4090,100x rtx-4090', '0x rtx-4090', 'rtx-4090,' * 300):
        refused(JOB + ['--have', many], 'no number of cards')
    refused(JOB + ['--have', '2x nope'], "unknown GPU 'nope'")
    refused(JOB + ['--have', '300x rtx-4090'], "unknown GPU '300x rtx-4090'")
    expect('7900xtx', 'rx-7900-xtx' in run(JOB + ['--have', '7900xtx'])[1], run(JOB + ['--have', '7900xtx']))
    for text in ('2x rtx-3090', '2xrtx-3090', '2X rtx-3090'):
        expect(text, run(JOB + ['--have', text])[1] == run(JOB + ['--have', 'rtx-3090,rtx-3090'])[1], text)


def said():
    """What has no effect and is allowed."""
    for flags, words in ((['--source', 'rent', '--budget', '100'], 'budget bounds no card that is rented'),
                         (['--source', 'rent', '--condition', 'used'], 'condition has no effect'),
                         (['--budget-per-hour', '1'], 'budget_per_hour bounds no card that is bought'),
                         (['--deadline-hours', '1'], 'deadline_hours has no effect'),
                         (['--budget-per-run', '1'], 'budget_per_run has no effect')):
        _, out, err = run(ONE + flags)
        expect(' '.join(flags), 'warn: ' + words in ' '.join(out.split()), (out, err))
    _, out, _ = run(['--model', 'resnet50', '--candidates', 'rtx-4090'])
    expect('an open batch', 'warn: no batch is given' in out, out)
    for flags in (['--budget', '5000'], ['--source', 'rent', '--budget-per-hour', '9'], ['--deadline-hours', '900', '--steps-total', '1000'],
                  ['--source', 'both', '--budget', '5000', '--budget-per-hour', '9'], ['--tier', 'student']):
        expect('quiet: ' + ' '.join(flags), 'warn: ' not in run(ONE + flags)[1], run(ONE + flags))


def settings():
    """Settings are read as strictly as flags, and an error says where they stand."""
    for value in ('maybe', '2', '-1'):
        refused(ONE, 'at environment GPUADVISE_QUIET', GPUADVISE_QUIET=value)
    for value in ('0', 'no', 'off', 'false'):
        expect('GPUADVISE_QUIET=' + value, 'rtx-4090\n' != run(ONE, GPUADVISE_QUIET=value)[1], value)
    expect('GPUADVISE_QUIET=1', run(ONE, GPUADVISE_QUIET='1')[1] == 'rtx-4090\n', run(ONE, GPUADVISE_QUIET='1'))
    refused(['--model', 'resnet50'], '\n  at environment GPUADVISE_BATCH\n', GPUADVISE_BATCH='x')
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 's.toml')
        for data, words, status in ((b'batch = "x"', "'x'", 2), (b'b\0', 'NUL', 3), (b'\xff\xfeb = 1', r'\xff\xfe', 3),
                                    (b'a' * 1000000, 'unknown setting', 3)):
            with open(path, 'wb') as file:
                file.write(data)
            refused(['--model', 'resnet50', '--settings', path], words, status=status)
            expect('place in settings', '  at ' + path in run(['--model', 'resnet50', '--settings', path])[2], data[:10])
            expect('length of an error', len(run(['--model', 'resnet50', '--settings', path])[2]) < 10000, data[:10])
        with open(path, 'wb') as file:
            file.write(b'\xef\xbb\xbfbatch = 8\r\n')
        expect('byte order mark', 'batch 8' in run(ONE[:2] + ['--settings', path])[1], path)


def files():
    with tempfile.TemporaryDirectory() as folder:
        refused(['estimate', '--jsonl', folder], 'to its end', status=3)
        refused(ONE + ['--settings', folder], 'cannot read', status=3)
        target = os.path.join(folder, 'answer.json')
        rc, out, _ = run(['setup', '--gpu', 'tesla-k80', '--torch', '2.8', '--output', target])
        expect('setup --output of a card that cannot', rc == 1 and not out and json.load(open(target)), (rc, out))
    refused(ONE + ['--settings', ''], "cannot read ''", status=3)
    rc, out, _ = run(['estimate', '--jsonl', '-'], '{"model":"resnet50","batch":1e400}\n{"model":"resnet50","gpu":5}\n')
    answers = [json.loads(line)['error']['message'] for line in out.splitlines()]
    expect('batch mode', rc == 3 and 'too large' in answers[0] and 'exception' not in out and 'card' in answers[1], out)


CARD = {'id': 'my-card', 'vendor': 'nvidia', 'memory_gib': 24, 'memory_bandwidth_gb_s': 1000}


def overlays():
    """What is no data is refused with its file; what is no use is said."""
    bad = {'"a\\u001b[31mb"': 'control character', '"A b"': 'lower case'}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'own.json')

        def lay(text, words, status=3):
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text if isinstance(text, str) else json.dumps(text))
            if status == 3:
                refused(ONE + ['--catalog', path], words, status=3)
                expect('place of ' + words, '  at ' + path in run(ONE + ['--catalog', path])[2], words)
            else:
                rc, out, err = run(ONE + ['--catalog', path])
                expect(words, rc == status and words in ' '.join(out.split()), (rc, out, err))

        for identity, words in bad.items():
            lay('{"schema": 1, "gpus": [%s]}' % json.dumps(CARD).replace('"my-card"', identity), words)
        for fault in ({'memory_bandwidth_gb_s': 1e308}, {'tdp_w': -3}, {'memory_gib': 1e9}):
            lay({'schema': 1, 'gpus': [{**CARD, **fault}]}, 'is not between')
        lay({'schema': 1, 'gpus': [CARD, CARD]}, 'my-card')
        lay({'schema': 2, 'gpus': [CARD]}, '"schema": 1, not 2')
        price = {'gpu_id': 'rtx-4090', 'usd': 1e308, 'kind': 'user'}
        lay({'schema': 1, 'prices': [price]}, 'not plausible')
        lay({'schema': 1, 'prices': [{**price, 'gpu_id': 'nope', 'usd': 500}]}, "no card has the id 'nope'", status=0)
        lay({'schema': 1, 'gpus': [{**CARD, 'vendor': 5}]}, 'expected a word')


def rules():
    """A reject is obeyed whatever facts it reads."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'rules.json')

        def lay(when, severity='reject', **head):
            rule = {'id': 'my-rule', 'severity': severity, 'when': when, 'message': 'not here', 'source': 'test'}
            with open(path, 'w', encoding='utf-8') as file:
                json.dump({'rules': [rule], **head}, file)
            return run(ONE + ['--rules', path, '--format', 'json'])

        for when in (True, {'==': [{'var': 'wants.source'}, 'buy']}, {'>': [{'var': 'gpu.memory_gib'}, 1]}):
            rc, out, err = lay(when)
            answer = json.loads(out or '{}')
            expect(f'rule {when}', rc == 1 and not answer['results'] and answer['rejected'][0]['rule'] == 'my-rule', (rc, err, out[:200]))
        rc, out, _ = lay({'==': [{'var': 'wants.source'}, 'rent']})
        expect('rule that does not hold', rc == 0 and json.loads(out)['results'], rc)
        rc, out, _ = lay(True, 'warn')
        expect('remark on the request', rc == 0 and [f for f in json.loads(out)['findings'] if f['rule'] == 'my-rule'], rc)
        rc, _, err = lay(True, schema=2)
        expect('schema of rules', rc == 3 and 'not 2' in err, err)


def figures():
    """No figure below zero, and none that is no number."""
    _, out, _ = run(['explain', 'rtx-4090', *JOB])
    _, band, _ = run(['explain', 'rtx-3060-12gb', '--model', 'llama-3.1-8b', '--nodes', '2', '--concurrency', '500'])
    expect('explain: -0 %', '-0 %' not in band and '90 % interval' in band, band)
    expect('explain: -0.000', not re.search(r'-0\.0+(?![0-9])', out), re.findall('.*-0.000.*', out))
    line = {'model': 'llama-2-13b', 'gpu': 'rtx-5060', 'engine': 'exllama', 'offload': 'layers:0'}
    _, out, _ = run(['estimate', '--jsonl', '-'], json.dumps(line) + '\n')
    expect('weights on the host', json.loads(out)['memory']['components_bytes']['weights'] == 0, out)


def prices():
    """Nothing that is for sale costs $0, and what little costs is no $0.00."""
    _, out, _ = run(JOB + ['--candidates', 'rtx-4090', '--have', 'rtx-4090'])
    expect('a card at hand', '$0 yours' in out and not re.search(r'\$0 (new|used|launch)', out), out)
    _, out, _ = run(ONE + ['--steps-total', '10'])
    expect('cost of a short run', '$0.00 ' not in out and 'of electricity' in out, out)


def formats():
    grid = ['matrix', '--model', 'resnet50', '--candidates', 'rtx-4090,rtx-3090', '--over', 'batch=1..4,x']
    rows = [json.loads(line) for line in run([*grid, '--format', 'jsonl'])[1].splitlines()]
    rc, out, err = run([*grid, '--format', 'json'])
    expect('matrix as one JSON text', rc == 0 and json.loads(out) == rows and len(rows) == 7, (rc, out[:200], err))


def widths():
    _, out, _ = run(['estimate', '--model', 'resnet50', '--gpu', 'h100-sxm-80gb', '--batch', '8'])
    _, nodes, _ = run(['estimate', '--model', 'mask-rcnn-r50-fpn', '--batch', '1', '--nodes', '2', '--gpu', 'rtx-4090'])
    expect('scaling in 80 columns', max(map(len, nodes.splitlines())) <= 80 and 'scaling ' in nodes, nodes)
    expect('estimate in 80 columns', max(map(len, out.splitlines())) <= 80 and '% sure)' in ' '.join(out.split()), out)
    for command in ([], *([name] for name in ('recommend', 'estimate', 'check', 'solve', 'matrix', 'explain', 'compare', 'list', 'compat',
                                              'setup', 'doctor', 'import', 'host', 'export', 'config'))):
        wide = [line for line in run([*command, '--help'])[1].splitlines() if len(line) > 80]
        expect(f'{command} --help in 80 columns', not wide, wide)


def streams():
    """Nobody reads: no crash, and the exit status still tells."""
    for shell, status in (('2>&-', 2), ('2>/dev/full', 2), ('>&- 2>&-', 2)):
        expect('unknown option ' + shell, run(['--modl', 'x'], shell=shell)[0] == status, run(['--modl', 'x'], shell=shell))
        expect('first screen ' + shell, run([], shell=shell)[0] == status, shell)
    for arguments in (['--help'], ['--version'], ONE, ['list', 'gpus'], ['estimate', *JOB]):
        rc, _, err = run(arguments, shell='>/dev/full')
        expect('full device', rc == 3 and err.startswith('error: cannot write') and 'help:' in err, (arguments, rc, err))
        expect('closed pipe', run(arguments, shell='| true; exit ${PIPESTATUS[0]}')[::2] == (0, ''), arguments)


for test in (switches, values, options_without_effect, cards_at_hand, said, settings, files, overlays, rules, figures, prices, formats, widths, streams):
    test()
print('\n'.join(failures) or 'all held')
sys.exit(1 if failures else 0)
