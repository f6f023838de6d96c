"""Cycles materials for imported caches: hair that darkens and shines when wet, water, drops, skin and fog; and a studio."""
import bpy


def _new(name):
    """A material of that name, and its empty node tree if it is new, else None."""
    material = bpy.data.materials.get(name)
    if material is not None:
        return material, None
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    material.node_tree.nodes.clear()
    return material, material.node_tree


def _output(tree):
    return tree.nodes.new("ShaderNodeOutputMaterial")


def hair(name="Rivulet Hair", melanin=0.85):
    """Principled hair; `wetness` on the points makes it darker and smoother."""
    material, tree = _new(name)
    if tree is None:
        return material
    new, link = tree.nodes.new, tree.links.new
    shader, wet = new("ShaderNodeBsdfHairPrincipled"), new("ShaderNodeAttribute")
    shader.parametrization = "MELANIN"
    material.diffuse_color = (0.10, 0.06, 0.04, 1)  # in the solid view
    wet.attribute_name = "wetness"
    for socket, dry, full in (("Melanin", melanin, min(melanin + 0.2, 1.0)), ("Roughness", 0.32, 0.12),
                              ("Radial Roughness", 0.35, 0.2), ("Coat", 0.0, 0.5)):
        mix = new("ShaderNodeMapRange")
        mix.inputs["To Min"].default_value, mix.inputs["To Max"].default_value = dry, full
        link(wet.outputs["Fac"], mix.inputs["Value"])
        link(mix.outputs["Result"], shader.inputs[socket])
    link(shader.outputs["BSDF"], _output(tree).inputs["Surface"])
    return material


def _clear_to_lights(tree, shader):
    """A shader that lets light through to what is behind it. Path tracing hardly finds the light that glass bends, so without
    this all that is under water would be black."""
    new, link = tree.nodes.new, tree.links.new
    path, either, clear, mix = (new("ShaderNode" + name) for name in ("LightPath", "Math", "BsdfTransparent", "MixShader"))
    either.operation = "MAXIMUM"
    link(path.outputs["Is Shadow Ray"], either.inputs[0])
    link(path.outputs["Is Diffuse Ray"], either.inputs[1])
    link(either.outputs[0], mix.inputs[0])
    link(shader.outputs["BSDF"], mix.inputs[1])
    link(clear.outputs["BSDF"], mix.inputs[2])
    return mix.outputs[0]


def _clear(name):
    """A clear, refracting material, and its output node, which is None if the material was there before."""
    material, tree = _new(name)
    if tree is None:
        return material, None
    glass, out = tree.nodes.new("ShaderNodeBsdfGlass"), _output(tree)
    material.diffuse_color = (0.55, 0.75, 0.85, 0.35)  # in the solid view
    glass.inputs["IOR"].default_value, glass.inputs["Roughness"].default_value = 1.333, 0.0
    tree.links.new(_clear_to_lights(tree, glass), out.inputs["Surface"])
    return material, out


def water(name="Rivulet Water", tint=(0.75, 0.9, 0.95), density=4.0):
    """Clear, refracting water that is slightly blue where it is deep; `density` of the absorption in 1/m."""
    material, out = _clear(name)
    if out is None:
        return material
    tree = material.node_tree
    inside = tree.nodes.new("ShaderNodeVolumeAbsorption")
    inside.inputs["Color"].default_value, inside.inputs["Density"].default_value = (*tint, 1.0), density
    tree.links.new(inside.outputs["Volume"], out.inputs["Volume"])
    return material


def drops(name="Rivulet Drops"):
    """Clear drops without absorption, as particles overlap."""
    return _clear(name)[0]


def skin(name="Rivulet Skin", color=(0.62, 0.42, 0.33)):
    """A matt surface for bodies and the floor."""
    material, tree = _new(name)
    if tree is None:
        return material
    shader = tree.nodes.new("ShaderNodeBsdfPrincipled")
    shader.inputs["Base Color"].default_value = material.diffuse_color = (*color, 1)
    shader.inputs["Roughness"].default_value = 0.5
    tree.links.new(shader.outputs["BSDF"], _output(tree).inputs["Surface"])
    return material


def fog(name="Rivulet Fog", density=50.0):
    """A volume for VDBs with density."""
    material, tree = _new(name)
    if tree is None:
        return material
    shader = tree.nodes.new("ShaderNodeVolumePrincipled")
    shader.inputs["Density"].default_value = density
    tree.links.new(shader.outputs["Volume"], _output(tree).inputs["Volume"])
    return material


def studio(size=1.0, ground=None):
    """Lights for a scene of that size in metres: sky light, a key light, and a floor at height `ground` (Blender's Z)."""
    world = bpy.context.scene.world or bpy.data.worlds.new("World")
    bpy.context.scene.world = world
    world.use_nodes = True
    back = world.node_tree.nodes.get("Background")
    back.inputs["Color"].default_value, back.inputs["Strength"].default_value = (0.7, 0.8, 0.95, 1), 0.4
    light = bpy.data.objects.get("Rivulet Key")
    if light is None:
        light = bpy.data.objects.new("Rivulet Key", bpy.data.lights.new("Rivulet Key", "AREA"))
        bpy.context.scene.collection.objects.link(light)
    light.data.size = size
    light.data.energy = 110 * size * size
    light.location = (1.5 * size, -1.5 * size, 2.5 * size)
    light.rotation_euler = (0.65, 0.0, 0.78)
    if ground is not None and bpy.data.objects.get("Rivulet Floor") is None:
        side = 20 * size
        mesh = bpy.data.meshes.new("Rivulet Floor")
        mesh.from_pydata([(-side, -side, 0), (side, -side, 0), (side, side, 0), (-side, side, 0)], [], [(0, 1, 2, 3)])
        floor = bpy.data.objects.new("Rivulet Floor", mesh)
        floor.location.z = ground
        mesh.materials.append(skin("Rivulet Floor", (0.22, 0.23, 0.25)))
        bpy.context.scene.collection.objects.link(floor)
