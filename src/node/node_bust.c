// Bust: a closed mesh of a person's head and shoulders, to groom and to pour water on.
#include "math/scalar.h"
#include "math/vec.h"
#include "node/define.h"
#include "node/shape/bust.h"
#include "node/shape/nets.h"

#define BUST_PARMS(X)                                                                                       \
  X(FLOAT, size, "Head Height", 0.235, HARD(1e-6), SOFT(1), "m",                                            \
    "Height of the head from chin to crown. All else "                                                      \
    "follows its proportions.")                                                                             \
  X(VEC3, t, "Center", 0, 0, 0, SOFT(-1), SOFT(1), "m", "Place between the ears. The face looks along +Z.") \
  X(INT, divisions, "Divisions", 64, HARD(16), HARD(128), "",                                               \
    "Faces along the height of the head. 48 is enough for a "                                               \
    "collider; 100 shows lips and ears well.",                                                              \
    HIDE("{ hasinput(0) == 1 }"))                                                                           \
  X(FLOAT, shoulders, "Shoulders", 0.7, HARD(0), HARD(1), "",                                               \
    "How much of neck and shoulders there is: 0 ends the "                                                  \
    "bust below the chin, 1 at the chest.",                                                                 \
    HIDE("{ hasinput(0) == 1 }"))                                                                           \
  X(FLOAT, hairline, "Hairline Falloff", 0.012, HARD(0), SOFT(0.05), "m",                                   \
    "Width over which the hair thins out at "                                                               \
    "forehead, temples and nape, as the point attribute density.",                                          \
    HIDE("{ hasinput(0) == 1 }"))                                                                           \
  X(MENU, part, "Part", 0, "whole=Whole|head=Head|body=Neck and Shoulders",                                 \
    "All of it, or one side of the joint, each closed. A head that turns is two colliders: a head moved "   \
    "by transform, and a body that stays.",                                                                 \
    HIDE("{ hasinput(0) == 1 }"))                                                                           \
  X(FOLDER, "Pose")                                                                                         \
  X(FLOAT, nod, "Nod", 0, SOFT(-40), SOFT(40), "deg",                                                       \
    "Lowers the face. The head turns about a joint in the neck, 0 -0.15 -0.035 for a head of 0.235 m, and " \
    "the neck gives way. Transform with the same rotation about this pivot moves a Head alike.")            \
  X(FLOAT, turn, "Turn", 0, SOFT(-60), SOFT(60), "deg", "Turns the face to its left, after Nod.")           \
  X(FLOAT, tilt, "Tilt", 0, SOFT(-30), SOFT(30), "deg", "Leans the head to its right, after Turn.")
RV_PARM_TABLE(BustParms, bust_table, BUST_PARMS)

static const double LEAST_BASE = -0.13, MOST_BASE = -0.335;  // m, height of the base without and with all shoulders
static const double BORDER = 2;                              // places of the lattice outside the mesh

// Adds the density of hair to the points, and the faces that bear hair as the group scalp. Places are still those of a
// head of RV_BUST_HEAD.
static RvResult add_scalp(RvDetail* detail, const RvBust* bust, RvError* error) {
  const float* P = rv_detail_f32(detail, RV_POINT, "P", 3);
  float* density = rv_detail_f32_write(detail, RV_POINT, "density", 1, error);
  RvGroup* scalp = NULL;
  if (!density) return rv_fail(error, RV_NO_MEMORY, "out of memory for the hairline");
  RvResult result = rv_detail_add_group(detail, RV_PRIM, "scalp", &scalp, error);
  uint8_t* member = result == RV_OK ? rv_group_write(scalp) : NULL;
  if (!member) return result != RV_OK ? result : rv_fail(error, RV_NO_MEMORY, "out of memory for the scalp");
  for (size_t i = 0; i < rv_detail_count(detail, RV_POINT); ++i)
    density[i] = (float)rv_bust_density(bust, rv_vec3_load(P + 3 * i));
  const int32_t* start = rv_detail_prim_start(detail);
  const int32_t* point = rv_detail_vertex_point(detail);
  for (size_t f = 0; f < rv_detail_count(detail, RV_PRIM); ++f) {
    member[f] = 0;
    for (int32_t v = start[f]; v < start[f + 1]; ++v)
      if (density[point[v]] > 0) member[f] = 1;
  }
  return RV_OK;
}

// Rotation of the pose: about X, then Y, then Z, as transform does by default.
static RvQuat pose_of(const BustParms* p) {
  RvQuat nod = rv_quat_axis_angle(rv_vec3(1, 0, 0), rv_radians(p->nod));
  RvQuat turn = rv_quat_axis_angle(rv_vec3(0, 1, 0), rv_radians(p->turn));
  RvQuat tilt = rv_quat_axis_angle(rv_vec3(0, 0, 1), rv_radians(p->tilt));
  return rv_quat_mul(tilt, rv_quat_mul(turn, nod));
}

// Poses the head, scales the mesh to its size, and moves it.
static RvResult place_mesh(RvDetail* detail, const BustParms* p, bool rigid, bool keep_rest, RvError* error) {
  float* P = rv_detail_f32_write(detail, RV_POINT, "P", 3, error);
  if (!P) return rv_fail(error, RV_NO_MEMORY, "out of memory for the points");
  double scale = p->size / RV_BUST_HEAD;
  bool posed = p->nod != 0 || p->turn != 0 || p->tilt != 0;
  // The look keeps its place on a head that moves.
  float* rest = keep_rest ? rv_detail_f32_write(detail, RV_POINT, "rest", 3, error) : NULL;
  if (keep_rest && !rest) return rv_fail(error, RV_NO_MEMORY, "out of memory for the points");
  P = rv_detail_f32_write(detail, RV_POINT, "P", 3, error);
  RvQuat pose = pose_of(p), none = rv_quat_identity();
  RvVec3 joint = rv_bust_joint();
  for (size_t i = 0; i < rv_detail_count(detail, RV_POINT); ++i) {
    RvVec3 x = rv_vec3_load(P + 3 * i);
    if (rest) rv_vec3_store(rest + 3 * i, rv_mad(rv_vec3_load64(p->t), scale, x));
    if (posed) {
      double share = rigid ? 1 : rv_bust_turning(x);
      x = rv_add(joint, rv_quat_rotate(rv_quat_slerp(none, pose, share), rv_sub(x, joint)));
    }
    rv_vec3_store(P + 3 * i, rv_mad(rv_vec3_load64(p->t), scale, x));
  }
  return RV_OK;
}

// Samples the distance on a lattice and makes the mesh, unposed and of a head of RV_BUST_HEAD.
static RvResult make_mesh(const BustParms* p, RvDetail** out, RvError* error) {
  RvBust bust;
  rv_bust_init(&bust, LEAST_BASE + p->shoulders * (MOST_BASE - LEAST_BASE), p->hairline * RV_BUST_HEAD / p->size,
               (RvBustPart)p->part);
  RvVec3 low, high;
  rv_bust_bounds(&bust, &low, &high);
  double spacing = RV_BUST_HEAD / (double)p->divisions;
  // The lattice is symmetric about x = 0, so that both halves of the mesh are mirror images.
  RvNets nets = {.spacing = spacing, .distance = rv_bust_distance, .user = &bust};
  int half = (int)(high.x / spacing + 1 + BORDER);
  nets.low = rv_vec3(-half * spacing, low.y - BORDER * spacing, low.z - BORDER * spacing);
  nets.count[0] = 2 * half + 1;
  nets.count[1] = (int)((high.y - low.y) / spacing + 1 + 2 * BORDER);
  nets.count[2] = (int)((high.z - low.z) / spacing + 1 + 2 * BORDER);
  RvShape shape;
  RvResult result = rv_nets_mesh(&nets, &shape, error);
  if (result == RV_OK) result = rv_shape_end(&shape, false, out, error);
  return result == RV_OK ? add_scalp(*out, &bust, error) : result;
}

// Takes the mesh of the input back to a head of RV_BUST_HEAD at the origin.
static RvResult take_mesh(const RvDetail* input, const BustParms* p, RvDetail** out, RvError* error) {
  *out = rv_detail_copy(input);
  float* P = *out ? rv_detail_f32_write(*out, RV_POINT, "P", 3, error) : NULL;
  if (!P) return rv_fail(error, RV_NO_MEMORY, "out of memory for the points");
  double scale = RV_BUST_HEAD / p->size;
  for (size_t i = 0; i < rv_detail_count(*out, RV_POINT); ++i)
    rv_vec3_store(P + 3 * i, rv_scale(rv_sub(rv_vec3_load(P + 3 * i), rv_vec3_load64(p->t)), scale));
  return RV_OK;
}

static RvResult cook(RvCook* cook, RvError* error) {
  const BustParms* p = cook->parms;
  const RvDetail* input = cook->ninput ? cook->input[0] : NULL;
  RvDetail* out = NULL;
  RvResult result = input ? take_mesh(input, p, &out, error) : make_mesh(p, &out, error);
  // A head alone is rigid.
  if (result == RV_OK) result = place_mesh(out, p, !input && p->part == RV_BUST_HEAD_ONLY, input != NULL, error);
  return rv_node_give(cook, out, result);
}

static const RvPortDef inputs[] = {
    {"bust", "Bust", "A bust that is not posed. Only the pose is applied to it, which costs little in every frame.",
     false}};
static const RvPortDef outputs[] = {{"geometry", "Geometry", "The closed mesh.", false}};
static const RvPortKind takes[] = {RV_PORT_FACES};

RV_NODE_TYPE(
    bust, "Bust", "Geometry", "Makes a person's head and shoulders as one closed mesh.",
    "The mesh is smooth, symmetric about x = 0, and closed below by a flat base. The point attribute density "
    "is 1 where hair grows and falls to 0 at the hairline; groom reads it by itself. The primitive group "
    "scalp has the faces that bear hair: give its name to the Skin Group of groom, so that no strand is "
    "placed elsewhere.\n\n"
    "The head can nod, turn and tilt over still shoulders. To animate it, make one bust without a pose, wire "
    "it into a second one, and key the pose there: deform then moves hair from the first to the second. The second "
    "has the unposed positions as rest.",
    .flags = RV_NODE_GENERATOR, RV_NODE_INPUTS(inputs), .takes = takes, RV_NODE_OUTPUTS(outputs))
