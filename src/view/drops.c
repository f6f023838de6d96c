// Drops of liquid on skin and other meshes: the particles of a small body of liquid that touches a mesh are one drop,
// and a drop on a mesh is a cap, as one on the floor is.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "mesh/nearest.h"
#include "view/view_scene.h"

enum { NEIGHBOURS = 24, MOST_PARTICLES = 64 };  // of a particle that are looked at; of a drop: more are a puddle
enum { UNKNOWN, CURRENT, PUDDLE, DROP };        // states of a particle
static const double LINK = 1.45;                // distance of particles of one drop, over the sum of their radii

// Corner k of a triangle of a mesh.
static RvVec3 corner(const RvPart* mesh, size_t triangle, int k) {
  return rv_vec3_load(mesh->vertices + 3 * (size_t)mesh->indices[3 * triangle + (size_t)k]);
}

// RvNearestFn of a mesh's triangles.
static double distance2(const void* arg, size_t triangle, RvVec3 p) {
  const RvPart* mesh = arg;
  return rv_nearest_triangle2(p, corner(mesh, triangle, 0), corner(mesh, triangle, 1), corner(mesh, triangle, 2));
}

// Six times the volume that a mesh encloses: below 0 if its triangles turn the other way.
static double signed_volume(const RvPart* mesh) {
  double sum = 0;
  for (size_t t = 0; t < mesh->count; ++t)
    sum += rv_dot(corner(mesh, t, 0), rv_cross(corner(mesh, t, 1), corner(mesh, t, 2)));
  return sum;
}

// Tree over the triangles of a mesh, which the part keeps: building it takes longer than all searches of a frame. NULL
// when out of memory.
static const RvNearest* tree_of(RvPart* mesh) {
  if (mesh->tree.nodes) return &mesh->tree;
  float* boxes = rv_alloc(mesh->count, 6 * sizeof(float));
  for (size_t t = 0; boxes && t < mesh->count; ++t)
    for (size_t a = 0; a < 3; ++a) {
      const uint32_t* at = mesh->indices + 3 * t;
      float x = mesh->vertices[3 * at[0] + a], y = mesh->vertices[3 * at[1] + a], z = mesh->vertices[3 * at[2] + a];
      boxes[6 * t + a] = fminf(fminf(x, y), z);
      boxes[6 * t + 3 + a] = fmaxf(fmaxf(x, y), z);
    }
  bool good = boxes && rv_nearest_init(&mesh->tree, mesh->count, boxes, NULL) == RV_OK;
  rv_free(boxes);
  return good ? &mesh->tree : NULL;
}

// Settles a drop (x y z radius) on a mesh, if it touches it. `outward`: 1 or -1, the side of the triangles' normals.
static void settle(const RvPart* mesh, const RvNearest* tree, double outward, float* drop) {
  RvVec3 p = rv_vec3_load(drop);
  double limit2 = (double)drop[3] * (double)drop[3];
  size_t t = rv_nearest_within(tree, p, SIZE_MAX, distance2, mesh, &limit2);
  if (t == SIZE_MAX) return;
  RvVec3 a = corner(mesh, t, 0);
  RvVec3 across = rv_cross(rv_sub(corner(mesh, t, 1), a), rv_sub(corner(mesh, t, 2), a));
  RvVec3 normal = rv_scale(rv_normalize(across, rv_vec3(0, 0, 0)), outward);
  if (rv_dot(normal, normal) == 0) return;
  double height = rv_dot(rv_sub(p, a), normal);
  rv_view_drop_on_surface(drop, rv_mad(p, -height, normal), normal, height);
}

// Whether a part has drops of water that are single spheres.
static bool has_drops(const RvPart* part) {
  return part->kind == RV_PART_SPHERES && !part->colors && part->count > 0;
}

bool rv_view_settle_drops(RvViewScene* scene) {
  bool any = false;
  for (size_t i = 0; i < scene->count; ++i) any = any || has_drops(&scene->parts[i]);
  for (size_t m = 0; m < scene->count && any; ++m) {
    RvPart* mesh = &scene->parts[m];
    if (mesh->kind != RV_PART_MESH || !mesh->count) continue;
    const RvNearest* tree = tree_of(mesh);
    if (!tree) return false;
    double outward = signed_volume(mesh) < 0 ? -1 : 1;
    for (size_t i = 0; i < scene->count; ++i)
      for (size_t k = 0; has_drops(&scene->parts[i]) && k < scene->parts[i].count; ++k)
        settle(mesh, tree, outward, scene->parts[i].vertices + 4 * k);
  }
  // The vertices move next, and nothing searches them after that.
  for (size_t m = 0; m < scene->count; ++m) rv_nearest_free(&scene->parts[m].tree);
  return true;
}

//---------------------------------------------------------------------------------------------- bodies of particles

// Search for bodies among particles, x y z radius each.
typedef struct Bodies {
  RvViewDrops* d;
  RvNearest tree;
  uint8_t *touch, *state;  // a particle touches a mesh; what it is part of
  uint32_t* list;          // particles of the body at hand, and in the end of all drops
  size_t count;
} Bodies;

// RvNearestFn of the particles.
static double particle_distance2(const void* arg, size_t i, RvVec3 p) {
  const RvViewDrops* d = arg;
  RvVec3 off = rv_sub(rv_vec3_load(d->place + 4 * i), p);
  return rv_dot(off, off);
}

// Marks the particles that touch a mesh. False when out of memory.
static bool mark_touching(const RvViewScene* scene, Bodies* b, bool* any) {
  for (size_t m = 0; m < scene->count; ++m) {
    RvPart* mesh = &scene->parts[m];
    if (mesh->kind != RV_PART_MESH || !mesh->count) continue;
    const RvNearest* tree = tree_of(mesh);
    if (!tree) return false;
    for (size_t i = 0; i < b->d->count; ++i) {
      double limit2 = (double)b->d->place[4 * i + 3] * (double)b->d->place[4 * i + 3];
      if (b->touch[i] || !(limit2 > 0)) continue;
      RvVec3 p = rv_vec3_load(b->d->place + 4 * i);
      b->touch[i] = rv_nearest_within(tree, p, SIZE_MAX, distance2, mesh, &limit2) != SIZE_MAX;
      *any = *any || b->touch[i];
    }
  }
  return true;
}

// Adds the neighbours of particle i to the body. True: it is part of a puddle.
static bool grow_body(Bodies* b, size_t i) {
  const float* own = b->d->place + 4 * i;
  size_t near[NEIGHBOURS];
  double squares[NEIGHBOURS];
  size_t n = rv_nearest_many(&b->tree, rv_vec3_load(own), NEIGHBOURS, particle_distance2, b->d, near, squares);
  bool puddle = false;
  for (size_t k = 0; k < n; ++k) {
    double link = LINK * ((double)own[3] + (double)b->d->place[4 * near[k] + 3]);
    if (!(squares[k] < link * link)) continue;
    puddle = puddle || b->state[near[k]] == PUDDLE;
    if (b->state[near[k]] != UNKNOWN) continue;
    b->state[near[k]] = CURRENT;
    b->list[b->count++] = (uint32_t)near[k];
  }
  return puddle;
}

// Makes one drop of a body: its first particle gets the mean place and the volume, the others no radius.
static void make_drop(Bodies* b, size_t first) {
  RvVec3 place = {0, 0, 0}, speed = {0, 0, 0};
  double sum = 0;
  for (size_t k = first; k < b->count; ++k) {
    size_t i = b->list[k];
    double r = b->d->place[4 * i + 3], cube = r * r * r;
    place = rv_mad(place, cube, rv_vec3_load(b->d->place + 4 * i));
    if (b->d->velocity) speed = rv_mad(speed, cube, rv_vec3_load(b->d->velocity + 3 * i));
    sum += cube;
    b->d->place[4 * i + 3] = -1;
  }
  size_t to = b->list[first];
  rv_vec3_store(b->d->place + 4 * to, rv_scale(place, 1 / sum));
  if (b->d->velocity) rv_vec3_store(b->d->velocity + 3 * to, rv_scale(speed, 1 / sum));
  b->d->place[4 * to + 3] = (float)cbrt(sum);
}

// The body of a particle that touches a mesh.
static void find_body(Bodies* b, size_t i) {
  size_t first = b->count;
  bool puddle = false;
  b->state[i] = CURRENT;
  b->list[b->count++] = (uint32_t)i;
  for (size_t k = first; k < b->count && !puddle; ++k)
    puddle = grow_body(b, b->list[k]) || b->count - first > MOST_PARTICLES;
  for (size_t k = first; k < b->count; ++k) b->state[b->list[k]] = puddle ? PUDDLE : DROP;
  if (!puddle) make_drop(b, first);
  b->count = first;
}

// Exchanges two particles.
static void swap_floats(float* list, size_t a, size_t b, size_t width) {
  for (size_t k = 0; list && k < width; ++k) {
    float kept = list[width * a + k];
    list[width * a + k] = list[width * b + k];
    list[width * b + k] = kept;
  }
}

// Drops first, then all other particles; those that are part of a drop are gone.
static void sort_out(Bodies* b, size_t* gathered) {
  RvViewDrops* d = b->d;
  size_t kept = 0;
  for (size_t i = 0; i < d->count; ++i) {
    if (d->place[4 * i + 3] < 0) continue;
    size_t to = kept++;
    swap_floats(d->place, i, to, 4);
    swap_floats(d->velocity, i, to, 3);
    swap_floats(d->value, i, to, 1);
    b->state[to] = b->state[i];
    if (b->state[to] != DROP) continue;
    size_t front = (*gathered)++;
    swap_floats(d->place, to, front, 4);
    swap_floats(d->velocity, to, front, 3);
    swap_floats(d->value, to, front, 1);
    uint8_t state = b->state[front];
    b->state[front] = b->state[to];
    b->state[to] = state;
  }
  d->count = kept;
}

// A tree over the particles. False when out of memory.
static bool grow_particle_tree(Bodies* b) {
  float* boxes = rv_alloc(b->d->count, 6 * sizeof(float));
  for (size_t i = 0; boxes && i < b->d->count; ++i) {
    memcpy(boxes + 6 * i, b->d->place + 4 * i, 3 * sizeof(float));
    memcpy(boxes + 6 * i + 3, b->d->place + 4 * i, 3 * sizeof(float));
  }
  bool good = boxes && rv_nearest_init(&b->tree, b->d->count, boxes, NULL) == RV_OK;
  rv_free(boxes);
  return good;
}

bool rv_view_gather_drops(const RvViewScene* scene, RvViewDrops* d, size_t* gathered) {
  Bodies b = {.d = d, .touch = rv_alloc_zero(d->count, 1), .state = rv_alloc_zero(d->count, 1)};
  bool any = false;
  bool good = b.touch && b.state && mark_touching(scene, &b, &any);
  if (good && any) {
    b.list = rv_alloc(d->count, sizeof *b.list);
    good = b.list && grow_particle_tree(&b);
    for (size_t i = 0; good && i < d->count; ++i)
      if (b.touch[i] && b.state[i] == UNKNOWN) find_body(&b, i);
    if (good) sort_out(&b, gathered);
  }
  rv_nearest_free(&b.tree);
  rv_free(b.touch);
  rv_free(b.state);
  rv_free(b.list);
  return good;
}
