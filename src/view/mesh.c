// Polygons and level sets as triangles with smooth normals at their corners.
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "geo/triangulate.h"
#include "math/scalar.h"
#include "view/view_scene.h"

enum { VALENCE_LIMIT = 64 };  // a point with more corners gets flat normals, since the crease test is quadratic in them

static const double CREASE_COSINE = 0.643;  // of 50 degrees: edges with a larger angle stay sharp
static const double FARTHEST = 1e18;        // metres; Embree's own limit is 1.8e18

typedef RV_ARRAY(uint32_t) Corners;

// Vertex i of an array x y z.
static RvVec3 at(const float* points, uint32_t i) {
  return rv_vec3_load(points + 3 * (size_t)i);
}

// Cross product of two edges: normal of a triangle times twice its area.
static RvVec3 cross_of(const float* p, uint32_t a, uint32_t b, uint32_t c) {
  return rv_cross(rv_sub(at(p, b), at(p, a)), rv_sub(at(p, c), at(p, a)));
}

//---------------------------------------------------------------------------------------------- normals

// Angle at a corner of a triangle, radians.
static double corner_angle(const float* p, const uint32_t* t, int corner) {
  RvVec3 o = at(p, t[corner]), none = {0, 0, 0};
  RvVec3 a = rv_normalize(rv_sub(at(p, t[(corner + 1) % 3]), o), none);
  RvVec3 b = rv_normalize(rv_sub(at(p, t[(corner + 2) % 3]), o), none);
  return rv_acos(rv_dot(a, b));
}

bool rv_view_corners(const RvPart* part, uint32_t** start, uint32_t** list) {
  *start = rv_alloc_zero(part->nvertex + 2, sizeof(uint32_t));
  *list = rv_alloc(3 * part->count, sizeof(uint32_t));
  if (!*start || !*list) return false;
  for (size_t c = 0; c < 3 * part->count; ++c) (*start)[part->indices[c] + 2]++;
  for (size_t i = 2; i < part->nvertex + 2; ++i) (*start)[i] += (*start)[i - 1];
  for (size_t c = 0; c < 3 * part->count; ++c) (*list)[(*start)[part->indices[c] + 1]++] = (uint32_t)c;
  return true;
}

// Corner normals: mean of the adjacent face normals that differ by less than the crease angle, weighted by the angle of
// each face at the point. False when out of memory.
static bool smooth_normals(RvPart* part, double crease) {
  uint32_t *start = NULL, *list = NULL;
  float* face = rv_alloc(part->count, 3 * sizeof(float));
  float* angle = rv_alloc(part->count, 3 * sizeof(float));
  part->normals = rv_alloc(part->count, 9 * sizeof(float));
  bool good = face && angle && part->normals && rv_view_corners(part, &start, &list);
  // Face normals and corner angles.
  for (size_t t = 0; good && t < part->count; ++t) {
    const uint32_t* tri = part->indices + 3 * t;
    rv_vec3_store(face + 3 * t, rv_normalize(cross_of(part->vertices, tri[0], tri[1], tri[2]), rv_vec3(0, 0, 0)));
    for (int k = 0; k < 3; ++k) angle[3 * t + (size_t)k] = (float)corner_angle(part->vertices, tri, k);
  }
  // Sum over the faces around each corner.
  for (size_t c = 0; good && c < 3 * part->count; ++c) {
    uint32_t point = part->indices[c], first = start[point], last = start[point + 1];
    RvVec3 own = at(face, (uint32_t)(c / 3)), sum = {0, 0, 0};
    if (last - first > VALENCE_LIMIT) {
      // The hub of a large fan gets flat normals.
      sum = own;
    } else {
      for (uint32_t i = first; i < last; ++i) {
        RvVec3 other = at(face, list[i] / 3);
        if (rv_dot(own, other) >= crease) sum = rv_mad(sum, angle[list[i]], other);
      }
    }
    rv_vec3_store(part->normals + 3 * c, rv_normalize(sum, own));
  }
  rv_free(start);
  rv_free(list);
  rv_free(face);
  rv_free(angle);
  return good;
}

bool rv_view_finish_water(RvPart* part, bool round) {
  double volume = 0;
  for (size_t t = 0; t < part->count; ++t) {
    const uint32_t* i = part->indices + 3 * t;
    volume += rv_dot(at(part->vertices, i[0]), rv_cross(at(part->vertices, i[1]), at(part->vertices, i[2])));
  }
  // Refraction needs to know outside from inside: a negative enclosed volume means that the winding is inverted.
  for (size_t t = 0; volume < 0 && t < part->count; ++t) {
    uint32_t *i = part->indices + 3 * t, swap = i[1];
    i[1] = i[2];
    i[2] = swap;
  }
  rv_free(part->normals);
  part->normals = NULL;
  if (round && !rv_view_calm(part)) return false;
  return smooth_normals(part, round ? -1 : CREASE_COSINE);
}

//---------------------------------------------------------------------------------------------- polygons

// Triangles collected from the polygons of one detail.
typedef struct Faces {
  const RvDetail* detail;
  RvPart* part;
  const RvAttrib* name;     // `name` of primitives, or NULL
  bool water;               // collects the faces named as a liquid; otherwise all others
  Corners indices, vertex;  // point and vertex of each triangle corner
  Corners prim;             // face of each triangle
  RV_ARRAY(int32_t) local;  // corners of the triangles of one face
} Faces;

// Copies positions relative to the lens; `bad` marks those that are not finite. False when out of memory.
static bool copy_points(Faces* f, const RvLens* lens, uint8_t** bad) {
  size_t npoint = rv_detail_count(f->detail, RV_POINT);
  const RvAttrib* P = rv_detail_find(f->detail, RV_POINT, "P");
  f->part->nvertex = npoint;
  f->part->vertices = rv_alloc(npoint + 2, 3 * sizeof(float));
  *bad = rv_alloc_zero(npoint, 1);
  if (!f->part->vertices || !*bad) return false;
  for (size_t i = 0; i < npoint; ++i) {
    RvVec3 p = rv_sub(rv_vec3(rv_attrib_get(P, i, 0), rv_attrib_get(P, i, 1), rv_attrib_get(P, i, 2)), lens->origin);
    (*bad)[i] = !rv_vec3_finite(p) || !(rv_length(p) < FARTHEST);
    rv_vec3_store(f->part->vertices + 3 * i, (*bad)[i] ? rv_vec3(0, 0, 0) : p);
  }
  return true;
}

// A face is water if its `name` says so.
static bool is_water(const Faces* f, size_t prim) {
  static const char* const names[] = {"water", "liquid", "surface"};
  const char* text = f->name ? rv_attrib_string(f->name, prim, 0) : NULL;
  for (size_t i = 0; text && i < sizeof names / sizeof *names; ++i)
    if (strcmp(text, names[i]) == 0) return true;
  return false;
}

// Triangulates one face; faces with a bad point are counted as skipped. False when out of memory.
static bool add_face(Faces* f, RvViewScene* scene, size_t prim, const uint8_t* bad) {
  const int32_t* start = rv_detail_prim_start(f->detail);
  const int32_t* point = rv_detail_vertex_point(f->detail);
  int32_t first = start[prim], count = start[prim + 1] - first;
  if (count < 3) return true;
  for (int32_t i = 0; i < count; ++i) {
    if (!bad[point[first + i]]) continue;
    scene->stats.skipped++;
    return true;
  }
  f->local.count = 0;
  if (!rv_array_resize(&f->local, 3 * ((size_t)count - 2))) return false;
  rv_triangulate(f->part->vertices, point + first, count, f->local.data);
  for (size_t i = 0; i < f->local.count; ++i) {
    uint32_t corner = (uint32_t)(first + f->local.data[i]), p = (uint32_t)point[corner];
    rv_view_grow_bounds(scene, f->part->vertices + 3 * (size_t)p, 0);
    if (!rv_array_push(&f->indices, p) || !rv_array_push(&f->vertex, corner)) return false;
    if (i % 3 == 0 && !rv_array_push(&f->prim, (uint32_t)prim)) return false;
  }
  return true;
}

// Element of an attribute owner at a triangle corner.
static size_t element_of(const Faces* f, RvOwner owner, size_t corner) {
  return owner == RV_POINT    ? f->indices.data[corner]
         : owner == RV_VERTEX ? f->vertex.data[corner]
         : owner == RV_PRIM   ? f->prim.data[corner / 3]
                              : 0;
}

// Copies an attribute of any owner to the corners, three floats each; NULL when out of memory.
static float* per_corner(const Faces* f, const RvAttrib* a) {
  float* out = rv_alloc(f->indices.count, 3 * sizeof(float));
  for (size_t c = 0; out && c < f->indices.count; ++c) {
    size_t i = element_of(f, rv_attrib_owner(a), c);
    for (int k = 0; k < 3; ++k) {
      float v = (float)rv_attrib_get(a, i, k);
      out[3 * c + (size_t)k] = isfinite(v) ? v : 0;
    }
  }
  return out;
}

// Number of an attribute at a corner, or its default where the attribute is missing or no number.
static float number_at(const Faces* f, const RvAttrib* a, size_t corner, double standard) {
  double v = a ? rv_attrib_get(a, element_of(f, rv_attrib_owner(a), corner), 0) : standard;
  return (float)(isfinite(v) ? v : standard);
}

// Copies the beads of water of the corners, and the rest positions by which they keep their place on a surface that
// moves; false when out of memory.
static bool copy_beads(const Faces* f) {
  const RvOwner owners[] = {RV_VERTEX, RV_POINT, RV_PRIM, RV_GLOBAL};
  const RvAttrib* share = rv_view_attrib(f->detail, RV_LOOK_BEADS, 1, owners, 4);
  const RvAttrib* radius = rv_view_attrib(f->detail, RV_LOOK_BEAD_RADIUS, 1, owners, 4);
  const RvAttrib* rest = rv_view_attrib(f->detail, "rest", 3, owners, 2);
  size_t count = f->indices.count;
  if (!share || !radius) return true;
  if (!(f->part->beads = rv_alloc(count, 2 * sizeof(float)))) return false;
  for (size_t c = 0; c < count; ++c) {
    f->part->beads[2 * c] = number_at(f, share, c, 0);
    f->part->beads[2 * c + 1] = number_at(f, radius, c, 0);
  }
  return (f->part->rest = per_corner(f, rest ? rest : rv_detail_find(f->detail, RV_POINT, "P"))) != NULL;
}

// Copies the look and the wetness of the corners; false when out of memory.
static bool copy_look(const Faces* f, bool colored) {
  static const char* const names[4] = {RV_LOOK_ROUGHNESS, RV_LOOK_IOR, RV_LOOK_SPECULAR, RV_LOOK_SUBSURFACE};
  const double standard[4] = {0.5, 1.44, 1, colored ? 0 : 1};
  const RvOwner owners[] = {RV_VERTEX, RV_POINT, RV_PRIM, RV_GLOBAL};
  const RvAttrib *attribs[4], *wet = rv_view_attrib(f->detail, "wetness", 1, owners, 4);
  bool any = false;
  for (int k = 0; k < 4; ++k) {
    attribs[k] = rv_view_attrib(f->detail, names[k], 1, owners, 4);
    any |= attribs[k] != NULL;
  }
  size_t count = f->indices.count;
  if (any && !(f->part->look = rv_alloc(count, 4 * sizeof(float)))) return false;
  if (wet && !(f->part->wet = rv_alloc(count, sizeof(float)))) return false;
  for (size_t c = 0; any && c < 4 * count; ++c) f->part->look[c] = number_at(f, attribs[c % 4], c / 4, standard[c % 4]);
  for (size_t c = 0; wet && c < count; ++c) f->part->wet[c] = (float)rv_clamp(number_at(f, wet, c, 0), 0, 1);
  f->part->baked = rv_view_baked(f->detail);
  return copy_beads(f);
}

// Copies false-colour values and velocities; false when out of memory.
static bool copy_data(const Faces* f, const RvViewOptions* options) {
  const RvOwner points[] = {RV_POINT};
  const RvAttrib* data = rv_view_data_attrib(f->detail, options);
  const RvAttrib* v = options->shutter > 0 ? rv_view_attrib(f->detail, "v", 3, points, 1) : NULL;
  if (data && !(f->part->values = rv_alloc(f->indices.count, sizeof(float)))) return false;
  for (size_t c = 0; data && c < f->indices.count; ++c)
    f->part->values[c] = (float)rv_view_data_value(options, data, element_of(f, rv_attrib_owner(data), c));
  if (v && !(f->part->velocity = rv_alloc(f->part->nvertex, 3 * sizeof(float)))) return false;
  for (size_t i = 0; v && i < 3 * f->part->nvertex; ++i) {
    float x = (float)rv_attrib_get(v, i / 3, (int)(i % 3));
    f->part->velocity[i] = isfinite(x) ? x : 0;
  }
  return true;
}

// Completes the part: triangles, normals, colours and data. False when out of memory.
static bool finish_faces(Faces* f, const RvViewOptions* options) {
  const RvOwner owners[] = {RV_VERTEX, RV_POINT, RV_PRIM, RV_GLOBAL};
  const RvAttrib* N = rv_view_attrib(f->detail, "N", 3, owners, 2);
  const RvAttrib* Cd = rv_view_attrib(f->detail, "Cd", 3, owners, 4);
  f->part->count = f->indices.count / 3;
  // The part owns a copy of the indices, because water may be rewound.
  f->part->indices = rv_alloc(f->indices.count, sizeof(uint32_t));
  if (!f->part->indices) return false;
  memcpy(f->part->indices, f->indices.data, f->indices.count * sizeof(uint32_t));
  if (f->water) return rv_view_finish_water(f->part, false) && copy_data(f, options);
  if (!(N ? (f->part->normals = per_corner(f, N)) != NULL : smooth_normals(f->part, CREASE_COSINE))) return false;
  if (Cd && !(f->part->colors = per_corner(f, Cd))) return false;
  if (!copy_look(f, Cd != NULL)) return false;
  return copy_data(f, options);
}

// Adds the water faces or all other faces of a detail as one part; false when out of memory.
static bool add_kind(RvViewScene* scene, Faces* f, const RvLens* lens, const RvViewOptions* options) {
  uint8_t* bad = NULL;
  size_t nprim = rv_detail_count(f->detail, RV_PRIM);
  f->part = rv_view_new_part(scene, f->water ? RV_PART_WATER : RV_PART_MESH);
  bool good = f->part && copy_points(f, lens, &bad);
  for (size_t i = 0; good && i < nprim; ++i)
    if (rv_detail_prim_type(f->detail, i) == RV_PRIM_POLYGON && is_water(f, i) == f->water)
      good = add_face(f, scene, i, bad);
  if (good && f->indices.count) {
    good = finish_faces(f, options);
    scene->stats.triangles += f->part->count;
  }
  rv_free(bad);
  rv_array_free(&f->indices);
  rv_array_free(&f->vertex);
  rv_array_free(&f->prim);
  rv_array_free(&f->local);
  return good;
}

RvResult rv_view_add_polygons(RvViewScene* scene, const RvDetail* detail, const RvLens* lens,
                              const RvViewOptions* options, RvError* error) {
  const RvAttrib* name = rv_detail_find(detail, RV_PRIM, "name");
  Faces solid = {.detail = detail, .name = name && rv_attrib_storage(name) == RV_STRING ? name : NULL};
  Faces water = solid;
  water.water = true;
  // Count both kinds first, so that an absent kind makes no part.
  size_t nprim = rv_detail_count(detail, RV_PRIM), faces[2] = {0, 0};
  for (size_t i = 0; i < nprim; ++i)
    if (rv_detail_prim_type(detail, i) == RV_PRIM_POLYGON) faces[is_water(&solid, i)]++;
  bool good = (faces[0] == 0 || add_kind(scene, &solid, lens, options)) &&
              (faces[1] == 0 || add_kind(scene, &water, lens, options));
  return good ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the %zu faces of the picture", nprim);
}

//---------------------------------------------------------------------------------------------- level sets

// Samples the velocity grid at the points of a part; false when out of memory.
static bool sample_velocity(RvPart* part, const RvGrid* velocity, const float* points) {
  double* places = rv_alloc(part->nvertex, 3 * sizeof(double));
  part->velocity = rv_alloc(part->nvertex, 3 * sizeof(float));
  bool good = places && part->velocity;
  for (size_t i = 0; good && i < 3 * part->nvertex; ++i) places[i] = points[i];
  good = good && !rv_grid_sample(velocity, part->nvertex, places, part->velocity, NULL);
  for (size_t i = 0; good && i < 3 * part->nvertex; ++i)
    if (!isfinite(part->velocity[i])) part->velocity[i] = 0;
  rv_free(places);
  return good;
}

RvResult rv_view_add_level_set(RvViewScene* scene, const RvGrid* grid, const RvGrid* velocity, const RvLens* lens,
                               const RvViewOptions* options, RvError* error) {
  size_t npoint = 0, ntriangle = 0;
  float* points = NULL;
  int32_t* triangles = NULL;
  // Grids named collision... are solid, all others water.
  bool solid = !rv_view_grid_is_water(grid);
  RvResult result = rv_grid_to_mesh(grid, 0, 0, &npoint, &points, &ntriangle, &triangles, error);
  if (result || ntriangle == 0) goto done;
  RvPart* part = rv_view_new_part(scene, solid ? RV_PART_MESH : RV_PART_WATER);
  if (!part || !(part->vertices = rv_alloc(npoint + 2, 3 * sizeof(float)))) goto full;
  // Vertices relative to the lens, triangles, normals and velocities.
  part->nvertex = npoint;
  for (size_t i = 0; i < npoint; ++i) {
    rv_vec3_store(part->vertices + 3 * i, rv_sub(rv_vec3_load(points + 3 * i), lens->origin));
    rv_view_grow_bounds(scene, part->vertices + 3 * i, 0);
  }
  part->count = ntriangle;
  part->indices = (uint32_t*)triangles;
  triangles = NULL;
  if (!(solid ? smooth_normals(part, CREASE_COSINE) : rv_view_finish_water(part, true))) goto full;
  if (velocity && options->shutter > 0 && !sample_velocity(part, velocity, points)) goto full;
  scene->stats.triangles += ntriangle;
done:
  rv_free(points);
  rv_free(triangles);
  return result;
full:
  result = rv_fail(error, RV_NO_MEMORY, "out of memory for the surface '%s'", rv_grid_name(grid));
  goto done;
}
