// Check wet_guides (WH-28, WH-29, WH-46): guides that stand for ten hairs each retain and drip as much liquid as the
// hairs themselves.
#include <math.h>
#include <stdio.h>

#include "check/list.h"
#include "rig/scene.h"

// A hanging tuft with film, to which film is added all the time; arguments: strands, hairs a strand.
static const char tuft[] =
    "\"skin\": {\"type\": \"grid\", \"parms\": {\"size\": [0.008, 0.008], \"rows\": 6, \"cols\": 6}},"
    "\"under\": {\"type\": \"transform\", \"inputs\": [\"skin\"], \"parms\": {\"rx\": 180}},"
    "\"hair\": {\"type\": \"groom\", \"inputs\": [\"under\"], \"parms\": {\"count\": %d, \"length\": 0.05, \"points\": "
    "12,"
    "  \"lift\": 1, \"bend\": 0, \"directionrandom\": 0.02}},"
    "\"damp\": {\"type\": \"attribute\", \"inputs\": [\"hair\"], \"parms\": {\"name\": \"filmheight\","
    "  \"value\": [0.00008, 0, 0, 0]}},"
    "\"more\": {\"type\": \"attribute\", \"inputs\": [\"damp\"], \"parms\": {\"name\": \"wetadd\","
    "  \"value\": [0.0002, 0, 0, 0]}},"
    "\"per\": {\"type\": \"attribute\", \"inputs\": [\"more\"], \"parms\": {\"name\": \"hairsperguide\","
    "  \"class\": \"prim\", \"value\": [%d, 0, 0, 0]}},"
    "\"s\": {\"type\": \"wetsolver\", \"inputs\": [\"per\"], \"parms\": {\"particlesep\": 0.001, \"absorption\": 0,"
    "  \"killbox\": true, \"killmin\": [-1, -0.08, -1], \"killmax\": [1, 1, 1]}}";

// Cooks the scene with `count` strands that stand for `hairs` hairs each.
static RvResult run(int count, int hairs, RvSceneFigures* figures, RvError* error) {
  char nodes[2000];
  RvSceneRig rig;
  snprintf(nodes, sizeof nodes, tuft, count, hairs);
  RvResult result = rv_rig_scene_open(&rig, nodes, error);
  if (result) return result;
  result = rv_rig_scene_run(&rig, 11, error);
  *figures = rig.figures;
  rv_rig_scene_close(&rig);
  return result;
}

RvResult rv_check_wet_guides(const RvCheckOut* out, RvError* error) {
  RvSceneFigures hairs = {0}, guides = {0};
  RvResult result = run(200, 1, &hairs, error);
  if (!result) result = run(20, 10, &guides, error);
  if (result) return result;
  rv_check_emit(out, "film", guides.film / hairs.film, 1, 0.15);
  rv_check_emit(out, "dripped", guides.dripped / hairs.dripped, 1, 0.15);
  rv_check_emit(out, "part_that_dripped", hairs.dripped / (hairs.dripped + hairs.film), 0.5, 0.3);
  rv_check_emit(out, "volume", fmax(hairs.drift, guides.drift), 0, 1e-12);
  return RV_OK;
}
