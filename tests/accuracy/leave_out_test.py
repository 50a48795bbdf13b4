#!/usr/bin/env python3
"""Tests of leave_out.py on figures made for it."""
import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import leave_out  # noqa: E402


def made(**cards):
    return [('some-class', {'gpu': card}, ratio) for card, ratios in cards.items() for ratio in ratios]


class LeaveOut(unittest.TestCase):
    def test_the_factor_comes_from_the_others(self):
        result = leave_out.left_out(made(a=[2.0] * 3, b=[1.0] * 3, c=[1.0] * 3), 'gpu')['some-class']
        self.assertAlmostEqual(result['a'][0], 1.0)
        self.assertAlmostEqual(result['b'][0], 2 ** -0.5)  # the median of three 2.0 and three 1.0, in logarithms

    def test_a_class_that_leans_on_one_card_shows_it(self):
        # Card a has most rows and is estimated well; all the others are a third too high.
        result = leave_out.left_out(made(a=[1.0] * 20, b=[1.33] * 4, c=[1.33] * 4), 'gpu')['some-class']
        factor, ratios = result['a']
        self.assertAlmostEqual(leave_out.error(ratios), 0.0)
        self.assertAlmostEqual(leave_out.error(ratios, factor), 1 - 1 / 1.33)

    def test_a_single_group_has_nothing_to_be_left_out_of(self):
        self.assertEqual(leave_out.left_out(made(a=[1.0, 2.0]), 'gpu'), {})

    def test_tables(self):
        result = leave_out.left_out(made(a=[1.1] * 8, b=[0.9] * 7), 'gpu')
        self.assertIn('| some-class | 2 | 15 | 10.0 % |', leave_out.class_table(result, 'card'))
        lines = leave_out.group_table(result, 'card').splitlines()
        self.assertEqual(len(lines), 3)  # b has too few rows for a line
        self.assertTrue(lines[2].startswith('| a | 8 | 10.0 % | 22.2 % | +22.2 %'), lines[2])

    def test_a_publication_is_one_source_whatever_the_page(self):
        for source, name in {'https://github.com/Vllm-Project/vllm/issues/12': 'vllm-project/vllm',
                             'QwenLM/Qwen3@a912d23:docs/source/x.rst': 'qwenlm/qwen3',
                             'pytorch/torchtune README.md (v0.6)': 'pytorch/torchtune',
                             'public log excerpt, file id 532 (x)': 'log 532',
                             'https://a.example/b/': 'a.example/b'}.items():
            self.assertEqual(leave_out.project(source), name)


if __name__ == '__main__':
    unittest.main()
