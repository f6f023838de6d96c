"""Pulls a tuft of hair out of a pool: builds the scene, cooks it and prints a line a frame.

  PYTHONPATH=python_shim /usr/bin/python3 python_shim/examples/wet_tuft.py [OUT] [FRAMES] [STRANDS]
"""
import sys

import rivulet as rv


def build(last, count):
    scene = rv.Scene(frames=(1, last))
    grow = scene.add("groom", "grow", layout="disk", size=0.02, count=count, length=0.06, points=14, lift=1, bend=0)
    hang = scene.add("transform", "hang", inputs=[grow], r=(180, 0, 0))
    lift = scene.add("transform", "lift", inputs=[hang])
    lift.parm("ty").key([(4, 0), (last - 4, 0.05)], interp="smooth")
    pool = scene.add("fill", "pool", size=(0.08, 0.05, 0.08), t=(0, -0.07, 0), particlesep=0.004)
    wet = scene.add("wetsolver", "wet", inputs=[lift, pool], youngs=3e8, shear=1e8, walls=True, wallsmin=(-0.04, -0.095, -0.04),
                    wallsmax=(0.04, 1, 0.04))
    scene.add("filecache", "hair", inputs=[wet], file="$OUT/hair.$F4.bgeo.sc")
    scene.add("filecache", "liquid", inputs=[wet.output("liquid")], file="$OUT/liquid.$F4.bgeo.sc")
    return scene


def main(out="out/wet_tuft", last=24, count=120):
    scene = build(int(last), int(count))

    def done(report):
        ledger, counts = report["ledger"], report["counts"]
        print("frame %2d: %7.1f mm3 on the hair, %d groups, drift %.0e" % (
            report["frame"], 1e9 * ledger["film"], counts["clumps"], ledger["drift"]))

    scene.run(out=out, frame_done=done)
    for text in scene.warnings():
        print("warning:", text)
    scene.save(out + "/scene.json")
    print("rivulet flipbook %s/scene.json --cached --out %s -o tuft.mp4" % (out, out))


if __name__ == "__main__":
    main(*sys.argv[1:])
