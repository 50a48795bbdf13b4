#!/usr/bin/env python3
"""Questions that people asked, with what is known of the answers.

usage: cases.py PROGRAM CASES.jsonl [--verbose]      exit 1 when fewer than 95 % pass

A case is a JSON object:
    id, source, kind, question
    request      keys of a workload, as estimate --jsonl reads them; "gpu" names the card, "gpus" beside "cards" compares several
    cards        two cards or more, for ratio and rank
    arguments    more flags for recommend (budget, torch, psu ...), as one text
    check        what must hold, each "name=value":
        fits=yes|no|tight-yes|tight-or-no      verdict on the card (yes: not "no")
        need_gib, peak_gib, weights_gib, kv_gib, usable_gib, host_gib = a..b
        tok_s (decode where there is one), img_s, it_s, prefill_s, hours = a..b
        break_even_h=a..b                      hours of use after which buying is cheaper than renting
        ratio=a..b                             throughput of the first card against the second; ratio_decode, ratio_prefill
        max_batch, max_seq, min_gpus = a..b    by solve
        remedy=x|y                             one of the words is in the remedies of recommend
        warn=x|y, no_warn=x|y                  ... in what recommend says of the card, or of the request
        rejected=x|y                           the card is not recommended, and one of the words is in the reason
        accepted=yes                           the card is recommended
        first=card                             recommend ranks the card first
        error=code                             the request is refused
        compatible=yes|no                      compat with the arguments
    known        reason why the case fails today; it is counted as failed
"""
import json
import shlex
import subprocess
import sys

GIB = 2.0 ** 30


class Failure(Exception):
    pass


def inside(value, text):
    low, _, high = text.partition('..')
    return (not low or value >= float(low)) and (not high or value <= float(high))


def flags(request, leave_out=('gpu',)):
    out = []
    for key, value in request.items():
        if key not in leave_out:
            text = ','.join(map(str, value)) if isinstance(value, list) else str(value).lower() if isinstance(value, bool) else str(value)
            out.append(f'--{key.replace("_", "-")}={text}')
    return out


class Answers:
    """Runs the program once for each question a case asks of it."""

    def __init__(self, program, case):
        self.program, self.case, self.kept = program, case, {}

    def run(self, arguments, stdin=None):
        done = subprocess.run([self.program, *arguments], input=stdin, capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout, done.stderr

    def estimate(self, card=None):
        request = dict(self.case['request'])
        if card:
            request['gpu'] = card
        key = ('estimate', card)
        if key not in self.kept:
            self.kept[key] = json.loads(self.run(['estimate', '--jsonl', '-'], json.dumps(request) + '\n')[1])
        return self.kept[key]

    def good_estimate(self, card=None):
        answer = self.estimate(card)
        if not answer['ok']:
            raise Failure(f"refused: {answer['error']['message']}")
        return answer

    def recommend(self):
        if 'recommend' not in self.kept:
            cards = self.case.get('cards') or [self.case['request']['gpu']]
            arguments = ['recommend', *flags(self.case['request']), '--candidates=' + ','.join(cards), '--remedies', '--format=json']
            status, out, error = self.run(arguments + shlex.split(self.case.get('arguments', '')))
            if status not in (0, 1):
                raise Failure(f'recommend ended {status}: {error.strip()}')
            self.kept['recommend'] = json.loads(out)
        return self.kept['recommend']

    def solve(self, what):
        leave_out = {'batch': ('gpu', 'batch'), 'seq': ('gpu', 'seq'), 'gpus': ('gpu', 'gpus')}[what]
        request = self.case['request']
        status, out, error = self.run(['solve', what, *flags(request, leave_out), f"--gpu={request['gpu']}", '--probability=0.5', '--format=json'])
        if status not in (0, 1):
            raise Failure(f'solve ended {status}: {error.strip()}')
        return json.loads(out)['solve']['value'] or 0


def fits(answers, value):
    verdict = answers.good_estimate()['fit']['verdict']
    wanted = {'yes': ('fits', 'tight'), 'tight-yes': ('fits', 'tight'), 'no': ('no',), 'tight-or-no': ('tight', 'no')}[value]
    if verdict not in wanted:
        need = answers.good_estimate()['memory']['need_bytes']['expected'] / GIB
        raise Failure(f'{verdict}, needs {need:.2f} GiB')


def ranged(read):
    def check(answers, value):
        got = read(answers)
        if got is None or not inside(got, value):
            raise Failure(f'is {got if got is None else round(got, 4)}')
    return check


def memory(*path):
    def read(answers):
        value = answers.good_estimate()['memory']
        for key in path:
            value = value[key]
        return value / GIB
    return ranged(read)


def peak(answers, value):
    """What people call the peak lies between what tensors take and what the driver's tool shows."""
    figures = answers.good_estimate()['memory']
    low, _, high = value.partition('..')
    allocated, device = figures['allocated_bytes']['expected'] / GIB, figures['device_bytes']['expected'] / GIB
    if (high and allocated > float(high)) or (low and device < float(low)):
        raise Failure(f'{allocated:.2f} allocated, {device:.2f} on the device')


def speed(name, card=None):
    def read(answers):
        speed = answers.good_estimate(card)['speed']
        if speed is None:
            raise Failure('no speed is given, as the job does not fit')
        chosen = speed.get(name) or (speed['throughput'] if name == 'decode_tokens_per_s' else None)
        return chosen and chosen['expected']
    return read


def ratio(name):
    def read(answers):
        first, second = answers.case['cards'][:2]
        return speed(name, first)(answers) / speed(name, second)(answers)
    return ranged(read)


def words_of(answer, keys):
    return json.dumps([answer.get(key) for key in keys]).lower()


def said(keys, wanted=True):
    def check(answers, value):
        text = words_of(answers.recommend(), keys)
        found = any(word.lower() in text for word in value.split('|'))
        if found != wanted:
            raise Failure('not said' if wanted else 'said')
    return check


def rejected(answers, value):
    answer = answers.recommend()
    if answer['results']:
        raise Failure('recommended: ' + answer['results'][0]['gpu'])
    said(('rejected',))(answers, value)


def accepted(answers, _):
    answer = answers.recommend()
    if not answer['results']:
        raise Failure('rejected: ' + answer['rejected'][0]['message'])


def first(answers, value):
    answer = answers.recommend()
    got = answer['results'][0]['gpu'] if answer['results'] else None
    if got != value:
        raise Failure(f'first is {got}')


def refused(answers, value):
    answer = answers.estimate()
    if answer['ok'] or answer['error']['code'] != value:
        raise Failure('accepted' if answer['ok'] else answer['error']['code'])


def compatible(answers, value):
    arguments = ['compat', f"--gpu={answers.case['request']['gpu']}", *shlex.split(answers.case['arguments'])]
    status, _, error = answers.run(arguments)
    if status not in (0, 1):
        raise Failure(f'compat ended {status}: {error.strip()}')
    if (status == 0) != (value == 'yes'):
        raise Failure('yes' if status == 0 else 'no')


CHECKS = {
    'fits': fits, 'peak_gib': peak, 'need_gib': memory('need_bytes', 'expected'), 'weights_gib': memory('components_bytes', 'weights'),
    'kv_gib': memory('components_bytes', 'kv_cache'), 'host_gib': memory('host_bytes'),
    'usable_gib': ranged(lambda a: a.good_estimate()['fit']['usable_bytes'] / GIB),
    'tok_s': ranged(speed('decode_tokens_per_s')), 'img_s': ranged(speed('throughput')), 'it_s': ranged(speed('throughput')),
    'prefill_s': ranged(speed('prefill_tokens_per_s')), 'ratio': ratio('throughput'), 'ratio_decode': ratio('decode_tokens_per_s'),
    'ratio_prefill': ratio('prefill_tokens_per_s'), 'hours': ranged(lambda a: a.recommend()['results'][0]['cost']['run_hours']),
    'break_even_h': ranged(lambda a: a.recommend()['results'][0]['cost']['break_even_hours']),
    'max_batch': ranged(lambda a: a.solve('batch')), 'max_seq': ranged(lambda a: a.solve('seq')), 'min_gpus': ranged(lambda a: a.solve('gpus')),
    'remedy': said(('remedies',)), 'warn': said(('results', 'rejected', 'findings', 'request')),
    'no_warn': said(('results', 'rejected', 'findings'), False), 'rejected': rejected, 'accepted': accepted, 'first': first, 'error': refused, 'compatible': compatible,
}


def failures(program, case):
    answers, problems = Answers(program, case), []
    for check in case['check']:
        name, _, value = check.partition('=')
        try:
            CHECKS[name](answers, value)
        except Failure as failure:
            problems.append(f'{check}: {failure}')
        except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
            problems.append(f'{check}: no answer to read ({error!r})')
    return problems


def main():
    program, path = sys.argv[1:3]
    with open(path, encoding='utf-8') as file:
        cases = [json.loads(line) for line in file if line.strip()]
    if len({case['id'] for case in cases}) != len(cases):
        sys.exit('cases: an id stands twice')
    failed = 0
    for case in cases:
        problems = failures(program, case)
        known = case.get('known')
        failed += bool(problems)
        if problems and (not known or '--verbose' in sys.argv):
            print(f"{case['id']} ({case['source']}): {'; '.join(problems)}" + (f' [known: {known}]' if known else ''))
        if known and not problems:
            print(f"{case['id']}: passes now; take its 'known' away")
    share = 1 - failed / len(cases)
    print(f'cases: {len(cases) - failed} of {len(cases)} pass ({100 * share:.1f} %), {failed} fail')
    sys.exit(1 if share < 0.95 else 0)


if __name__ == '__main__':
    main()
