// Clumps of a groom: centre lines and nearest clump.
#include "node/groom/clump.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "node/groom/comb.h"

enum { CLUMPS_A_TASK = 64 };

// Arguments of make_lines.
typedef struct Job {
  RvGroomClumps* clumps;
  const RvGroomShape* shape;
} Job;

// Grows a range of centre lines.
static void make_lines(void* arg, size_t begin, size_t end) {
  Job* job = arg;
  for (size_t i = begin; i < end; ++i) {
    rv_groom_line(job->shape, &job->clumps->roots[i], &job->clumps->lines[i]);
    rv_vec3_store(job->clumps->boxes + 6 * i, job->clumps->roots[i].frame.position);
    rv_vec3_store(job->clumps->boxes + 6 * i + 3, job->clumps->roots[i].frame.position);
  }
}

RvResult rv_groom_clumps_init(RvGroomClumps* clumps, const RvGroomShape* shape, size_t count, RvGroomRoot* roots,
                              RvError* error) {
  *clumps = (RvGroomClumps){.count = count, .roots = roots};
  clumps->lines = rv_alloc(count, sizeof *clumps->lines);
  clumps->boxes = rv_alloc(count, 6 * sizeof(float));
  if (!clumps->lines || !clumps->boxes) {
    rv_groom_clumps_free(clumps);
    return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu clumps: raise clumpsize", count);
  }
  rv_parallel_for(count, CLUMPS_A_TASK, make_lines, &(Job){clumps, shape});
  RvResult result = rv_nearest_init(&clumps->tree, count, clumps->boxes, error);
  if (result != RV_OK) rv_groom_clumps_free(clumps);
  return result;
}

void rv_groom_clumps_free(RvGroomClumps* clumps) {
  rv_free(clumps->roots);
  rv_free(clumps->lines);
  rv_free(clumps->boxes);
  rv_nearest_free(&clumps->tree);
  *clumps = (RvGroomClumps){0};
}

// Squared distance of a clump's root, for the search tree.
static double root_distance2(const void* arg, size_t item, RvVec3 p) {
  const RvGroomClumps* clumps = arg;
  RvVec3 d = rv_sub(rv_vec3_load(clumps->boxes + 6 * item), p);
  return rv_dot(d, d);
}

int32_t rv_groom_clump_of(const RvGroomClumps* clumps, const RvGroomRoot* root, bool second) {
  size_t first = rv_nearest_find(&clumps->tree, root->frame.position, SIZE_MAX, root_distance2, clumps);
  if (first == SIZE_MAX) return -1;
  size_t next = second ? rv_nearest_find(&clumps->tree, root->frame.position, first, root_distance2, clumps) : first;
  if (next == SIZE_MAX) next = first;
  return rv_groom_comb_parts(root, &clumps->roots[next]) ? -1 : (int32_t)next;
}
