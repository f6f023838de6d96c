// Check wet_alone (WH-12, WH-44): without liquid the wet solver gives the bits of the strand solver, and without
// strands those of the liquid solver.
#include "check/list.h"
#include "rig/scene.h"

// Scenes: fur on a turning ball with its collider, and a block of liquid with a source.
#define FUR                                                                                                          \
  "\"b\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.03}},"                                                    \
  "\"h\": {\"type\": \"groom\", \"inputs\": [\"b\"], \"parms\": {\"count\": 40, \"length\": 0.03, \"points\": 12}}," \
  "\"turn\": {\"type\": \"transform\", \"inputs\": [\"h\"], \"parms\": {\"rz\": {\"keys\": [[1, 0], [5, 70]]}}},"    \
  "\"solid\": {\"type\": \"transform\", \"inputs\": [\"b\"], \"parms\": {\"rz\": {\"keys\": [[1, 0], [5, 70]]}}},"   \
  "\"c\": {\"type\": \"collider\", \"inputs\": [\"solid\"], \"parms\": {\"voxelsize\": 0.004}},"
#define WATER                                                                                                         \
  "\"w\": {\"type\": \"fill\", \"parms\": {\"size\": [0.05, 0.02, 0.05], \"t\": [0, 0.06, 0],"                        \
  "  \"particlesep\": 0.004, \"v\": [0, -1, 0]}},"                                                                    \
  "\"spray\": {\"type\": \"source\", \"parms\": {\"rate\": 2e-5, \"vel\": [0, -1, 0], \"size\": [0.02, 0.004, 0.02]," \
  "  \"t\": [0.01, 0.1, 0]}},"

static const char dry_wet[] = FUR "\"s\": {\"type\": \"wetsolver\", \"inputs\": [\"turn\", null, \"c\"]}";
static const char dry_strands[] = FUR
    "\"s\": {\"type\": \"strandsolver\", \"inputs\": [\"turn\", \"c\"], \"parms\": {\"strandcollisions\": true,"
    "  \"niter\": 8, \"tolerance\": 1e-3}}";
static const char bare_wet[] =
    WATER "\"s\": {\"type\": \"wetsolver\", \"inputs\": [null, \"w\", null, \"spray\"], \"parms\": {\"walls\": true}}";
static const char bare_liquid[] = WATER
    "\"s\": {\"type\": \"liquidsolver\", \"inputs\": [\"w\", null, \"spray\"], \"parms\": {\"walls\": true,"
    "  \"substeps\": 4, \"tolerance\": 1e-5}}";

// Hash of the state of node "s" at a frame, over the wet solver's table of fields; absent fields do not count.
static RvResult hash_at(const char* nodes, double frame, uint64_t* hash, RvError* error) {
  RvSceneRig rig;
  const RvDetail* state;
  RvResult result = rv_rig_scene_open(&rig, nodes, error);
  if (result) return result;
  const RvNodeType* wet = rv_node_find("wetsolver");
  result = rv_scene_cook(rig.scene, "s:3", frame, &state, error);
  if (!result) *hash = rv_node_state_hash(wet, state);
  rv_rig_scene_close(&rig);
  return result;
}

// Compares the wet solver with the other one, and requires that the last frame differs from the one before.
static RvResult compare(const RvCheckOut* out, const char* wet, const char* other, const char* name, const char* moves,
                        RvError* error) {
  enum { LAST_FRAME = 5 };
  uint64_t wet_hash = 0, other_hash = 0, hash_before = 0;
  RvResult result = hash_at(wet, LAST_FRAME, &wet_hash, error);
  if (!result) result = hash_at(other, LAST_FRAME, &other_hash, error);
  if (!result) result = hash_at(other, LAST_FRAME - 1, &hash_before, error);
  if (result) return result;
  rv_check_emit(out, name, wet_hash == other_hash, 1, 0);
  rv_check_emit(out, moves, other_hash != hash_before, 1, 0);
  return RV_OK;
}

RvResult rv_check_wet_alone(const RvCheckOut* out, RvError* error) {
  RvResult result = compare(out, dry_wet, dry_strands, "strands", "strands_move", error);
  return result ? result : compare(out, bare_wet, bare_liquid, "liquid", "liquid_moves", error);
}
