"""Rivulet in Blender: caches brought into a scene and rendered."""
