// Deform: strands follow an animated skin, each as a rigid body fixed to its root.
#include <string.h>

#include "base/array.h"
#include "base/parallel.h"
#include "mesh/skin_bind.h"
#include "mesh/xform.h"
#include "node/define.h"
#include "node/shape/select.h"

#define DEFORM_PARMS(X)                                                                                              \
  X(STRING, group, "Group", "", "Strands that follow the skin. The others stay where they are. Empty: all strands.") \
  X(STRING, primnumattrib, "Primitive Number", "skinprim",                                                           \
    "Primitive attribute of the strands with the number of the skin face at the root.", ADVANCED)                    \
  X(STRING, primuvwattrib, "Primitive UVW", "skinprimuv",                                                            \
    "Primitive attribute of the strands with the parametric position of the root on that face.", ADVANCED)
RV_PARM_TABLE(DeformParms, deform_table, DEFORM_PARMS)

// Strands that a task of the parallel loop takes.
enum { STRANDS_A_TASK = 64 };

// An attribute that rotates with the strands.
typedef struct Turned {
  RvOwner owner;
  RvTag tag;
  RvStorage storage;
  int size;
  void* values;
} Turned;

// State of one cook.
typedef struct Deform {
  RvCook* cook;
  const DeformParms* p;
  RvSkin rest, moved;
  RvDetail* out;
  size_t nprim;
  uint8_t* mask;   // strands that follow; NULL: all
  RvSite* sites;   // [strands] root on the skin; prim -1: unknown
  int32_t* mover;  // [points] vertex with which a point moves, -1: none
  float* P;
  RV_ARRAY(Turned) turned;
} Deform;

//---------------------------------------------------------------------------------------------- binding

// Fails unless both skins have the same points and faces.
static RvResult same_topology(const RvSkin* a, const RvSkin* b, RvError* error) {
  if (a->npoint != b->npoint || a->nprim != b->nprim)
    return rv_fail(error, RV_BAD_INPUT,
                   "the animated skin (input 3) has %zu points and %zu faces, the rest skin (input 2) %zu and %zu: the "
                   "topology must be the same",
                   b->npoint, b->nprim, a->npoint, a->nprim);
  size_t nvertex = (size_t)a->start[a->nprim];
  if (memcmp(a->start, b->start, (a->nprim + 1) * sizeof *a->start) != 0 ||
      memcmp(a->vertex_point, b->vertex_point, nvertex * sizeof *a->vertex_point) != 0)
    return rv_fail(
        error, RV_BAD_INPUT,
        "the animated skin (input 3) connects its points differently from the rest skin (input 2): the topology "
        "must be the same");
  return RV_OK;
}

// Binds each root to the nearest face of the rest skin.
static RvResult bind_nearest(Deform* d, RvError* error) {
  const int32_t *start = rv_detail_prim_start(d->out), *point = rv_detail_vertex_point(d->out);
  RvVec3* roots = rv_alloc_zero(d->nprim, sizeof *roots);
  if (!roots) return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu roots", d->nprim);
  for (size_t i = 0; i < d->nprim; ++i)
    if (start[i + 1] > start[i]) roots[i] = rv_vec3_load(d->P + 3 * (size_t)point[start[i]]);
  RvResult result = rv_skin_bind(&d->rest, d->nprim, roots, d->sites, error);
  rv_free(roots);
  if (result == RV_OK)
    rv_cook_info(d->cook, "the strands have no %s and %s: they are bound to the nearest face", d->p->primnumattrib,
                 d->p->primuvwattrib);
  return result;
}

// Binds the roots by the attributes of the strands.
static RvResult bind_attributes(Deform* d, const RvAttrib* prim, const RvAttrib* uvw, RvError* error) {
  if (!prim || !uvw)
    return rv_fail(error, RV_BAD_INPUT, "%s: the strands have the primitive attribute '%s' but not '%s'",
                   prim ? "primuvwattrib" : "primnumattrib", prim ? d->p->primnumattrib : d->p->primuvwattrib,
                   prim ? d->p->primuvwattrib : d->p->primnumattrib);
  if (rv_attrib_storage(prim) == RV_STRING || rv_attrib_storage(uvw) == RV_STRING || rv_attrib_size(uvw) < 2)
    return rv_fail(error, RV_BAD_INPUT,
                   "primnumattrib, primuvwattrib: '%s' must be a number and '%s' two or three numbers",
                   d->p->primnumattrib, d->p->primuvwattrib);
  size_t lost = 0, first = 0;
  for (size_t i = 0; i < d->nprim; ++i) {
    double number = rv_attrib_get(prim, i, 0);
    double u = rv_attrib_get(uvw, i, 0);
    double v = rv_attrib_get(uvw, i, 1);
    bool ok =
        number >= 0 && number < INT32_MAX && isfinite(u) && isfinite(v) && rv_skin_has_face(&d->rest, (int64_t)number);
    if (ok)
      d->sites[i] = (RvSite){(int32_t)number, u, v};
    else if ((!d->mask || d->mask[i]) && !lost++)
      first = i;
  }
  if (lost)
    rv_cook_warn(
        d->cook,
        "%zu of %zu strands name no face of the skin in %s and stay where they are; the first is primitive %zu", lost,
        d->nprim, d->p->primnumattrib, first);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- moving

// Rotation matrix of a skin frame.
static RvMat3 frame_matrix(RvSkinFrame f) {
  return (RvMat3){{f.tangent, rv_cross(f.normal, f.tangent), f.normal}};
}

// Rotates all attributes of an element.
static void turn(const Deform* d, RvOwner owner, size_t element, const RvXform* x) {
  for (size_t k = 0; k < d->turned.count; ++k) {
    const Turned* t = &d->turned.data[k];
    if (t->owner == owner) rv_xform_element(x, t->tag, t->storage, t->size, t->values, element);
  }
}

// True if a strand is selected and rooted.
static bool follows(const Deform* d, size_t strand) {
  return d->sites[strand].prim >= 0 && (!d->mask || d->mask[strand]);
}

// Moves a range of strands.
static void move_range(void* arg, size_t begin, size_t end) {
  const Deform* d = arg;
  const int32_t *start = rv_detail_prim_start(d->out), *point = rv_detail_vertex_point(d->out);
  for (size_t i = begin; i < end; ++i) {
    if (!follows(d, i)) continue;
    // The rigid motion from the rest frame of the root to the moved one.
    RvSkinFrame rest = rv_skin_frame(&d->rest, d->sites[i]);
    RvSkinFrame moved = rv_skin_frame(&d->moved, d->sites[i]);
    RvMat3 m = rv_mat3_mul(frame_matrix(moved), rv_mat3_transpose(frame_matrix(rest)));
    RvVec3 offset = rv_sub(moved.position, rv_mat3_apply(m, rest.position));
    // A rotation is its own inverse transpose and its own nearest rotation.
    RvXform x = {.linear = m, .offset = offset, .normal = m, .rotation = m};
    // Directions of the strand, of its vertices, and places and directions of its points.
    turn(d, RV_PRIM, i, &x);
    for (int32_t v = start[i]; v < start[i + 1]; ++v) {
      turn(d, RV_VERTEX, (size_t)v, &x);
      size_t p = (size_t)point[v];
      if (d->mover[p] != v) continue;
      rv_vec3_store(d->P + 3 * p, rv_xform_point(&x, rv_vec3_load(d->P + 3 * p)));
      turn(d, RV_POINT, p, &x);
    }
  }
}

// Assigns each point to the first strand that uses it, so that it moves once: a closed curve ends on its first point.
static RvResult find_movers(Deform* d, RvError* error) {
  size_t npoint = rv_detail_count(d->out, RV_POINT);
  d->mover = rv_alloc(npoint, sizeof *d->mover);
  if (!d->mover) return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu points", npoint);
  memset(d->mover, 0xff, npoint * sizeof *d->mover);
  const int32_t *start = rv_detail_prim_start(d->out), *point = rv_detail_vertex_point(d->out);
  for (size_t i = 0; i < d->nprim; ++i)
    for (int32_t v = start[i]; follows(d, i) && v < start[i + 1]; ++v)
      if (d->mover[point[v]] < 0) d->mover[point[v]] = v;
  return RV_OK;
}

// Tag by which an attribute rotates; positions other than P, such as rest, stay.
static RvTag turning_tag(const RvAttrib* a) {
  RvTag tag = rv_attrib_tag(a);
  if (strcmp(rv_attrib_name(a), "orient") == 0 && rv_attrib_size(a) == 4) return RV_TAG_QUATERNION;
  bool place = tag == RV_TAG_POINT || tag == RV_TAG_HPOINT;
  return !place && rv_xform_moves(tag, rv_attrib_size(a)) ? tag : RV_TAG_NONE;
}

// Lists the attributes of an owner that rotate.
static RvResult open_turned(Deform* d, RvOwner owner, RvError* error) {
  for (size_t i = 0; i < rv_detail_attrib_count(d->out, owner); ++i) {
    const RvAttrib* a = rv_detail_attrib(d->out, owner, i);
    const char* name = rv_attrib_name(a);
    Turned t = {owner, turning_tag(a), rv_attrib_storage(a), rv_attrib_size(a), NULL};
    if (t.tag == RV_TAG_NONE) continue;
    if (t.storage != RV_F16 && t.storage != RV_F32 && t.storage != RV_F64) {
      rv_cook_warn(d->cook, "the attribute %s does not turn with the strands, because it is not of floats", name);
      continue;
    }
    // Opened here, since the parallel loop must not copy shared data.
    t.values = rv_attrib_write(rv_detail_find_mutable(d->out, owner, name));
    if (!t.values || !rv_array_push(&d->turned, t))
      return rv_fail(error, RV_NO_MEMORY, "out of memory for the attribute %s", name);
  }
  return RV_OK;
}

// Copies the strands and reads the selection.
static RvResult open_output(Deform* d, RvError* error) {
  d->out = rv_detail_copy(d->cook->input[0]);
  if (!d->out) return rv_fail(error, RV_NO_MEMORY, "out of memory for the strands");
  d->P = rv_detail_f32_write(d->out, RV_POINT, "P", 3, error);
  if (!d->P) return error && error->code ? error->code : RV_NO_MEMORY;
  const RvOwner owners[] = {RV_POINT, RV_VERTEX, RV_PRIM};
  for (int i = 0; i < 3; ++i) {
    RvResult r = open_turned(d, owners[i], error);
    if (r != RV_OK) return r;
  }
  // No root is known yet.
  d->nprim = rv_detail_count(d->out, RV_PRIM);
  d->sites = rv_alloc(d->nprim, sizeof *d->sites);
  if (!d->sites) return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu strands", d->nprim);
  for (size_t i = 0; i < d->nprim; ++i) d->sites[i] = (RvSite){-1, 0, 0};
  RvOwner owner;
  return rv_select(d->out, d->p->group, RV_SELECT_PRIMS, &owner, &d->mask, error);
}

// The whole cook: read skins, bind, move.
static RvResult deform(Deform* d, RvError* error) {
  // All three inputs are needed.
  const char* const names[] = {"strands", "rest skin", "animated skin"};
  for (size_t i = 0; i < 3; ++i)
    if (i >= d->cook->ninput || !d->cook->input[i])
      return rv_fail(error, RV_BAD_INPUT, "input %zu, the %s, is not wired", i + 1, names[i]);
  // Both skins, and a copy of the strands.
  RvResult result = rv_skin_init(&d->rest, d->cook->input[1], NULL, 0, "input 2, the rest skin", error);
  if (result == RV_OK)
    result = rv_skin_init(&d->moved, d->cook->input[2], NULL, 0, "input 3, the animated skin", error);
  if (result == RV_OK) result = same_topology(&d->rest, &d->moved, error);
  if (result == RV_OK) result = open_output(d, error);
  if (result != RV_OK) return result;
  // Roots by their attributes, or by the nearest face; then the motion.
  const RvAttrib* prim = rv_detail_find(d->out, RV_PRIM, d->p->primnumattrib);
  const RvAttrib* uvw = rv_detail_find(d->out, RV_PRIM, d->p->primuvwattrib);
  result = prim || uvw ? bind_attributes(d, prim, uvw, error) : bind_nearest(d, error);
  if (result == RV_OK) result = find_movers(d, error);
  if (result == RV_OK && rv_cook_cancelled(d->cook, 0.5, "deform"))
    result = rv_fail(error, RV_CANCELLED, "interrupted");
  if (result == RV_OK) rv_parallel_for(d->nprim, STRANDS_A_TASK, move_range, d);
  return result;
}

// Deforms the strands and hands them over.
static RvResult cook(RvCook* cook, RvError* error) {
  Deform d = {.cook = cook, .p = cook->parms};
  RvResult result = deform(&d, error);
  rv_node_give(cook, d.out, result);
  rv_skin_free(&d.rest);
  rv_skin_free(&d.moved);
  rv_free(d.mask);
  rv_free(d.sites);
  rv_free(d.mover);
  rv_array_free(&d.turned);
  return result;
}

static const RvPortDef inputs[] = {{"strands", "Strands", "Curves, root first, groomed on the rest skin.", true},
                                   {"rest", "Rest Skin", "The skin on which the strands were groomed.", true},
                                   {"skin", "Animated Skin", "The same skin, animated, with the same topology.", true}};
static const unsigned takes[] = {RV_PORT_CURVES, RV_PORT_FACES, RV_PORT_FACES};
static const RvPortDef outputs[] = {{"strands", "Strands", "The strands on the moved skin.", false}};

RV_NODE_TYPE(deform, "Deform", "Hair", "Moves strands with an animated skin.",
             "Each strand keeps its shape and moves rigidly with the frame of the skin at its root: the smooth normal "
             "and the first parametric direction of the face. Orient, vectors, normals and other directions of "
             "points, vertices and strands turn with it; rest stays.\n\n"
             "Roots are located by skinprim and skinprimuv. Strands without these attributes are bound to the nearest "
             "face of the rest skin, to about a thousandth of its size. A strand whose skinprim names no face stays "
             "where it is and is counted in a warning.",
             RV_NODE_INPUTS(inputs), .takes = takes, RV_NODE_OUTPUTS(outputs))
