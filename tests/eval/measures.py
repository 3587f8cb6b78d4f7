"""Measure an exported run with ir_measures, and print a line for each query and measure.

    measures.py FOLDER       a folder that `spyhop-eval export` wrote
"""

import sys

import ir_measures
from ir_measures import AP, RR, R, Success, nDCG

folder = sys.argv[1]
qrels = list(ir_measures.read_trec_qrels(f"{folder}/qrels.txt"))
run = list(ir_measures.read_trec_run(f"{folder}/run.txt"))
for value in ir_measures.iter_calc([nDCG @ 10, RR @ 10, AP, R @ 10, Success @ 1], qrels, run):
    print(f"{value.query_id}\t{value.measure}\t{value.value!r}")
