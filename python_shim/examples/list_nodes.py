"""Prints the node table: every type with its inputs and the number of its parameters; with TYPE, its parameters.

  PYTHONPATH=python_shim /usr/bin/python3 python_shim/examples/list_nodes.py [TYPE]
"""
import sys

import rivulet as rv


def main(type=None):
    for row in [rv.nodes.find(type)] if type else rv.nodes.all():
        print("%-14s %-9s %-40s %2d parameters" % (row.type, row.category, " ".join(port["name"] for port in row.inputs),
                                                  len(row.parms)))
    if type:
        for parm in rv.nodes.find(type).parms:
            print("  %-18s %s" % (parm["token"], parm["help"]))


if __name__ == "__main__":
    main(*sys.argv[1:])
