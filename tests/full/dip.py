"""A tuft that is drawn out of a pool holds as much film whatever the size of the particles, the number of substeps and of
points (WH-28, WH-31, E74). With `full` as its argument it runs all of docs/scenes/dip.json's sweep (three minutes)."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import scenes  # noqa: E402

# A picture does not show a change of film by less; measured: 85.8, 90.9, 97.0 mm3 by size, 95.2, 90.9, 89.9, 94.8 by substeps.
FILM = 0.15


def measure(*sets):
    """mm3 of film at the end; prints clumps and what drips off in the last quarter of a second."""
    run = scenes.cook("dip.json", sets=list(sets))
    rows = run.rows
    film = [1e9 * row["ledger"]["film"] for row in rows]
    print("        %s: %d clumps, %.1f mm3/s leave the hair" % (" ".join(sets), rows[-1]["counts"]["clumps"],
                                                              (film[-7] - film[-1]) * 4), flush=True)
    drift = rows[-1]["ledger"]["drift"]
    scenes.holds("%s: drift %.1e, at most 1e-12" % (" ".join(sets), drift), abs(drift) <= 1e-12)
    return film[-1]


def main():
    if sys.argv[1:] == ["full"]:
        by_size = [measure("pool.particlesep=%g" % sep) for sep in (0.0028, 0.002, 0.0014)]
        scenes.equal("film, mm3, particlesep 2.8, 2, 1.4 mm", by_size, FILM)
        by_steps = [measure("wet.substeps=%d" % n) for n in (2, 4, 8, 16)]
        scenes.equal("film, mm3, substeps 2, 4, 8, 16", by_steps, FILM)
        by_points = [measure("tuft.points=%d" % n) for n in (20, 40)]
        scenes.equal("film, mm3, points 20, 40", by_points, FILM)
    else:
        by_size = [measure("pool.particlesep=%g" % sep) for sep in (0.0028, 0.002)]
        scenes.equal("film, mm3, particlesep 2.8, 2 mm", by_size, FILM)
    scenes.end()


if __name__ == "__main__":
    main()
