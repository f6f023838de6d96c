"""The node graph of the add-on: a node tree whose nodes, sockets, panels and menus are made from the node table.

Modules without Blender: schema, numbers, keys, scenefile, faults, cache, cook. The others show them in Blender.
"""
