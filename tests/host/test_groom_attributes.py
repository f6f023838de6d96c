"""Attribute names of Houdini's groom tools pass through our nodes and files unchanged: skinprim, skinprimuv, hairid, guidemask (on
strands) and width (on points). Values are told apart by `hairid`, as nodes may leave strands out or order them anew."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["RV_SOURCE_DIR"], "tests", "support"))
from package import TOP  # noqa: E402
import numpy  # noqa: E402

import rivulet  # noqa: E402

STRANDS, POINTS = 9, 6
STRAND_NAMES = ("skinprim", "skinprimuv", "hairid", "guidemask")


def groom():
    """Strands on a grid as the groom tools leave them, with values that no node would make by itself."""
    scene = rivulet.Scene()
    skin = scene.add("grid", "skin", size=(0.04, 0.04), rows=4, cols=4, addnormals=True)
    hair = scene.add("groom", "hair", inputs=[skin], count=STRANDS, length=0.03, points=POINTS, lift=1, bend=0).cook()
    numbers = numpy.arange(STRANDS)
    hair.prims.set("hairid", (1000 + 7 * numbers).astype("i4"))
    hair.prims.set("guidemask", (0.125 + numbers / 64).astype("f4"))
    hair.points.set("width", (1e-4 * (1 + numpy.arange(STRANDS * POINTS) / 1024)).astype("f4"))
    return skin.cook(), hair


def by_hair(detail):
    """{hairid: (values of the strand, widths of its points)}."""
    found, starts, corners = {}, detail.starts, detail.corners
    for index, number in enumerate(detail.prims["hairid"]):
        points = corners[starts[index]:starts[index + 1]]
        values = tuple(numpy.asarray(detail.prims[name][index]).tobytes() for name in STRAND_NAMES)
        found[int(number)] = (values, detail.points["width"][points].tobytes())
    return found


def network(folder, skin, hair):
    """A scene in which the groom goes through every node that takes strands; the outputs to compare."""
    skin.save(os.path.join(folder, "skin.bgeo"))
    hair.save(os.path.join(folder, "hair.bgeo.sc"))
    scene = rivulet.Scene(frames=(1, 3))
    ground = scene.add("file", "ground", file=os.path.join(folder, "skin.bgeo"))
    read = scene.add("file", "read", file=os.path.join(folder, "hair.bgeo.sc"))
    turned = scene.add("transform", "turned", inputs=[ground], r=(0, 10, 0))
    pool = scene.add("fill", "pool", size=(0.03, 0.01, 0.03), t=(0, 0.035, 0), particlesep=0.005)
    made = [read,
            scene.add("deform", "deform", inputs=[read, ground, turned]),
            scene.add("guides", "guides", inputs=[read], step=2),
            scene.add("material", "material", inputs=[read]),
            scene.add("attribute", "attribute", inputs=[read], name="mark"),
            scene.add("group", "group", inputs=[read], groupname="all"),
            scene.add("blast", "blast", inputs=[read], group="0-2", grouptype="prims"),
            scene.add("merge", "merge", inputs=[read]),
            scene.add("transform", "transform", inputs=[read], t=(1, 2, 3)),
            scene.add("wetness", "wetness", inputs=[read], widthattrib=""),
            scene.add("strandsolver", "strandsolver", inputs=[read]),
            scene.add("filmsolver", "filmsolver", inputs=[read], particlesep=0.002),
            scene.add("wetsolver", "wetsolver", inputs=[read, pool])]
    made.append(scene.add("transfer", "transfer", inputs=[read, read, made[10]]))
    return scene, made


def main():
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        skin, hair = groom()
        wanted = by_hair(hair)
        scene, made = network(folder, skin, hair)
        for node in made:
            out = node.cook(3)
            found = by_hair(out)
            few = {"guides": 3, "blast": STRANDS - 3}.get(node.type, STRANDS)
            if len(found) < few or any(wanted[number] != values for number, values in found.items()):
                wrong.append("%s changes an attribute of the groom tools, or drops strands (%d)" % (node.type, len(found)))
            # what comes out is written, read, and the same
            for ending in (".geo", ".bgeo", ".bgeo.sc"):
                path = os.path.join(folder, node.name + ending)
                out.save(path)
                if by_hair(rivulet.Detail.load(path)) != found:
                    wrong.append("%s%s changes an attribute" % (node.type, ending))
            kinds = {name: out.prims.info(name) for name in STRAND_NAMES}
            if any(kinds[name] != hair.prims.info(name) for name in STRAND_NAMES):
                wrong.append("%s changes the type of an attribute: %s" % (node.type, kinds))
        # the comparison bites
        spoiled = hair.copy()
        spoiled.prims.edit("guidemask")[4] += 1e-6
        assert by_hair(spoiled) != wanted
        spoiled = hair.copy()
        spoiled.points.edit("width")[7] *= 1.0001
        assert by_hair(spoiled) != wanted
    print("\n".join(wrong) or "skinprim skinprimuv hairid guidemask width pass through %d nodes and three formats" % len(made))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
