// Shape of one strand: growth of the centre line, clumping, curl and frizz, and points at equal distances.
#include "node/groom/shape.h"

#include "base/rng.h"
#include "math/scalar.h"
#include "node/groom/comb.h"

// Random streams of a strand, one for each purpose, so that a parameter never changes the numbers of another.
enum {
  STREAM_DIRECTION = 101,
  STREAM_CURL = 102,
  STREAM_PHASE = 103,
  STREAM_CROWN = 105,
  STREAM_KINK = 1000,
  STREAM_FRIZZ = 2000
};

enum {
  LAST = RV_GROOM_NODES - 1,
  FINE_A_TURN =
      36,  // steps a turn: the walked curve lies inside the true helix by 1 - cos(pi / 36) = 0.4 % of the radius
  FINE_LEAST = 2,  // steps a segment, at least
  FINE_FRIZZ = 4,  // the same with frizz
  FINE_MOST = 16,  // steps a segment, at most
  PATIENCE = 16    // segments of fibre after which a walk that stays within one segment's length is forced on
};

static const double CROWN_MIX = 0.9;         // weight of the random direction at a crown
static const double CROWN_REACH = 0.6;       // sine of the angle to the crown up to which strands cross
static const double CROWN_RANDOM = 0.1;      // direction_random from which strands cross fully
static const double STRAY_DIRECTION = 0.5;   // extra direction_random of strays
static const double TANGENT_WEIGHT = 0.03;   // of the skin's tangent, where the comb direction is the normal
static const double AWAY_WEIGHT = 4;         // of a full parting against the comb direction, within the skin
static const double CLUMP_DEVIATION = 0.15;  // of the curl of a strand from that of its clump
static const double FORCED_STEP = 1.001;     // length of a forced step, in segments: just outside the sphere
static const double NEAR_ONE = 0.02;         // deviation for which the linear form of 1 / sqrt(x) is used
static const double LEAST_SQUARE = 1e-12;    // of a vector that still has a direction
static const double SMALL_ANGLE2 = 0.2;      // squared angle up to which the Taylor series is used
static const double KINK_SHARPNESS = 4;      // slope of the change of the sense of turning

// Random number in [-1, 1).
static double draw(const RvGroomShape* g, uint64_t stream, uint64_t id, int lane) {
  return 2 * rv_random(g->seed, stream, id, lane) - 1;
}

// Random vector of the cube [-1, 1)^3.
static RvVec3 draw_vector(const RvGroomShape* g, uint64_t stream, uint64_t id) {
  return (RvVec3){draw(g, stream, 2 * id, 0), draw(g, stream, 2 * id, 1), draw(g, stream, 2 * id + 1, 0)};
}

// Smoothstep on 0..1.
static double smooth(double x) {
  x = rv_clamp(x, 0, 1);
  return x * x * (3 - 2 * x);
}

//---------------------------------------------------------------------------------------------- centre line

double rv_groom_axial(const RvGroomShape* g, double radius, double pitch) {
  if (!(radius > 0) || !(pitch > 0)) return 1;
  double slope = 2 * RV_PI * radius / pitch;
  // A helix has this slope everywhere; a wave has it as its maximum, and half of it in the mean square.
  return 1 / sqrt(1 + (g->wave ? 0.5 : 1) * slope * slope);
}

// Plane in which a strand bends: `across` lies in the skin towards the comb direction, `normal` points out of it.
typedef struct Growth {
  RvVec3 across, normal;
  double from, to;  // angle above `across` at the root, and fully bent
} Growth;

// Bending plane and angles of a strand.
static Growth growth(const RvGroomShape* g, const RvGroomRoot* root) {
  RvVec3 n = root->frame.normal;
  double wild = g->direction_random + (root->stray ? STRAY_DIRECTION : 0);
  RvVec3 comb = rv_mad(root->direction, wild, draw_vector(g, STREAM_DIRECTION, root->id));
  comb = rv_normalize(comb, root->direction);
  // Where the comb direction is the normal, the tangent of the skin decides.
  RvVec3 flat = rv_mad(comb, -rv_dot(comb, n), n);
  double tangential = rv_length(flat);
  flat = rv_mad(flat, TANGENT_WEIGHT, root->frame.tangent);
  // At a crown hair is combed away from one point on all sides, which would leave it bare: there strands cross.
  if (rv_dot(comb, n) < 0 && tangential < CROWN_REACH) {
    RvVec3 astray = draw_vector(g, STREAM_CROWN, root->id);
    double mix =
        CROWN_MIX * rv_clamp(g->direction_random / CROWN_RANDOM, 0, 1) * (1 - smooth(tangential / CROWN_REACH));
    mix *= 1 - root->parted;
    flat = rv_mad(flat, mix, rv_mad(astray, -rv_dot(astray, n), n));
  }
  // Beside a parting strands leave the skin away from it.
  if (root->parted > 0) flat = rv_mad(flat, AWAY_WEIGHT * root->parted, root->away);
  RvVec3 across = rv_normalize(flat, root->frame.tangent);
  Growth out = {.across = across, .normal = n};
  out.from = g->lift * RV_PI / 2;
  out.to = rv_atan2(rv_dot(comb, n), tangential);
  return out;
}

// True if a point lies inside the skin, or closer to it than the clearance.
static bool is_inside(const RvSkinHull* hull, RvVec3 p, double clearance) {
  RvVec3 out = rv_sub(p, hull->centre);
  return rv_length(out) < rv_skin_hull_radius(hull, out) + clearance;
}

// One step of length `step` in direction `way` that slides along the skin instead of entering it.
static RvVec3 avoid(const RvSkinHull* hull, RvVec3 from, RvVec3 way, double step, double clearance) {
  RvVec3 to = rv_mad(from, step, way), out = rv_sub(to, hull->centre);
  double far = rv_length(out), limit = rv_skin_hull_radius(hull, out) + clearance;
  if (far >= limit || far == 0) return to;
  // Remove the component of the step that points into the skin, then lift the point onto it.
  RvVec3 up = rv_scale(out, 1 / far);
  double sink = rv_dot(way, up);
  if (sink < 0) {
    way = rv_normalize(rv_mad(way, -sink, up), way);
    to = rv_mad(from, step, way);
    out = rv_sub(to, hull->centre);
    far = rv_length(out);
    limit = rv_skin_hull_radius(hull, out) + clearance;
  }
  return far < limit && far > 0 ? rv_mad(hull->centre, limit / far, out) : to;
}

// Distance that the centre line keeps from the skin for the curl, growing from the root.
static double clearance_at(const RvGroomShape* g, double along, double length) {
  return g->curl_radius * smooth(along / (0.1 * length + 2 * g->curl_radius));
}

// Grows a centre line of a given length node by node.
static void grow(const RvGroomShape* g, const RvGroomRoot* root, double length, RvGroomLine* line) {
  Growth w = growth(g, root);
  line->length = length;
  line->across = root->frame.tangent;
  line->node[0] = root->frame.position;
  double step = length / LAST;
  for (int i = 1; i < RV_GROOM_NODES; ++i) {
    double s = (i - 0.5) * step;
    double share = g->bend * (g->bend_length > 0 ? 1 - rv_exp(-s / g->bend_length) : 1);
    double angle = w.from + (w.to - w.from) * share;
    RvVec3 way = rv_add(rv_scale(w.across, rv_cos(angle)), rv_scale(w.normal, rv_sin(angle)));
    // The bending plane of parted hair does not contain the comb direction: it turns to it as it bends.
    if (root->parted > 0) way = rv_normalize(rv_lerp(way, root->direction, share * root->parted), way);
    if (root->combed > 0) way = rv_normalize(rv_lerp(way, rv_groom_comb_way(root, i), root->combed), way);
    double clearance = clearance_at(g, i * step, length);
    line->node[i] =
        g->hull ? avoid(g->hull, line->node[i - 1], way, step, clearance) : rv_mad(line->node[i - 1], step, way);
  }
}

void rv_groom_line(const RvGroomShape* g, const RvGroomRoot* root, RvGroomLine* line) {
  double axial = rv_groom_axial(g, g->curl_radius * (1 - g->curl_random), g->curl_pitch * (1 + g->curl_random));
  double straight = rv_clamp(g->curl_start + g->curl_blend, 0, 1);
  grow(g, root, root->length * (straight + (1 - straight) * axial), line);
}

// Position on a centre line at arc length s: Catmull-Rom spline; beyond the tip, straight on.
static RvVec3 line_at(const RvGroomLine* line, double s) {
  double x = line->length > 0 ? s / line->length * LAST : 0;
  int i = (int)x;
  if (i >= LAST) {
    RvVec3 edge = rv_sub(line->node[LAST], line->node[LAST - 1]);
    return rv_mad(line->node[LAST], x - LAST, edge);
  }
  double t = x - i;
  RvVec3 b = line->node[i], c = line->node[i + 1];
  RvVec3 a = i > 0 ? line->node[i - 1] : rv_sub(rv_scale(b, 2), c);
  RvVec3 d = i + 2 <= LAST ? line->node[i + 2] : rv_sub(rv_scale(c, 2), b);
  double w0 = ((-t + 2) * t - 1) * t, w1 = (3 * t - 5) * t * t + 2;
  double w2 = ((-3 * t + 4) * t + 1) * t, w3 = (t - 1) * t * t;
  return rv_scale(rv_add(rv_add(rv_scale(a, w0), rv_scale(b, w1)), rv_add(rv_scale(c, w2), rv_scale(d, w3))), 0.5);
}

// Draws a centre line towards that of its clump. Where both lie on different sides of the skin, the target would lie
// inside it: there the line follows its target along the skin, as fast as it grows.
static void clump_line(const RvGroomShape* g, const RvGroomLine* clump, RvGroomLine* line) {
  RvVec3 axis = rv_normalize(rv_sub(clump->node[LAST], clump->node[0]), (RvVec3){0, 1, 0});
  double step = line->length / LAST;
  bool behind = false;
  for (int i = 1; i < RV_GROOM_NODES; ++i) {
    double u = (double)i / LAST;
    RvVec3 centre = line_at(clump, u * line->length), offset = rv_sub(line->node[i], centre);
    if (g->clump_twist != 0) offset = rv_quat_rotate(rv_quat_axis_angle(axis, g->clump_twist * u), offset);
    RvVec3 target = rv_mad(centre, 1 - g->tightness[i], offset);
    RvVec3 last = line->node[i - 1];
    RvVec3 way = rv_sub(target, last);
    double clearance = clearance_at(g, i * step, line->length), far = rv_length(way);
    behind = g->hull && ((behind && far > step) || is_inside(g->hull, target, clearance));
    if (behind) {
      // The limited turn keeps it from oscillating where the target is right behind the skin.
      RvVec3 on = i > 1 ? rv_normalize(rv_sub(last, line->node[i - 2]), axis) : axis;
      way = rv_normalize(rv_mad(on, 0.5, rv_normalize(way, on)), on);
      target = avoid(g->hull, last, way, step, clearance);
    }
    line->node[i] = target;
  }
}

//---------------------------------------------------------------------------------------------- curl

// Value noise in [-1, 1) along a strand, of two components.
typedef struct Noise {
  uint64_t stream, id;
  int64_t cell;           // current interval between whole numbers
  double from[2], to[2];  // values at its ends
} Noise;

// Noise at x.
static void noise(const RvGroomShape* g, Noise* n, double x, double out[2]) {
  int64_t cell = (int64_t)x;
  if (cell != n->cell) {
    n->cell = cell;
    for (int k = 0; k < 2; ++k) {
      n->from[k] = draw(g, n->stream + (uint64_t)cell, n->id, k);
      n->to[k] = draw(g, n->stream + (uint64_t)cell + 1, n->id, k);
    }
  }
  double t = smooth(x - (double)cell);
  for (int k = 0; k < 2; ++k) out[k] = n->from[k] + (n->to[k] - n->from[k]) * t;
}

// State of the walk along one strand.
typedef struct Walk {
  const RvGroomShape* g;
  const RvGroomRoot* root;
  RvGroomLine line;
  double radius, pitch;        // of the curl of this strand
  double hand;                 // 1 or -1: sense of turning
  double frizz;                // amplitude
  double axial, axial_radius;  // last ratio of rv_groom_axial, and its radius
  double s;                    // arc length along the centre line
  double cosine, sine;         // of the phase of the curl
  RvVec3 centre, m1;           // point on the centre line, and the frame's first axis across it
  Noise kink, sway;            // of the sense of turning, and of frizz
} Walk;

// Draws the random curl of a strand and grows its centre line.
static void walk_begin(Walk* w, const RvGroomShape* g, const RvGroomRoot* root, const RvGroomLine* clump) {
  *w = (Walk){.g = g, .root = root, .centre = root->frame.position, .m1 = root->frame.tangent};
  // Strands of a clump share its curl with small deviations; a strand without a clump has its own.
  uint64_t leader = root->clump >= 0 ? (uint64_t)root->clump | 1ull << 41 : root->id;
  double own = clump ? CLUMP_DEVIATION : 0;
  double radius = draw(g, STREAM_CURL, leader, 0);
  double pitch = draw(g, STREAM_CURL, leader, 1);
  radius += 2 * own * (draw(g, STREAM_CURL, root->id, 0) - radius);
  pitch += own * (draw(g, STREAM_CURL, root->id, 1) - pitch);
  w->radius = g->curl_radius * (1 + g->curl_random * radius);
  w->pitch = g->curl_pitch * (1 + g->curl_random * pitch);
  double phase =
      RV_PI * (draw(g, STREAM_PHASE, leader, 0) + own * g->curl_random * draw(g, STREAM_PHASE + 1, root->id, 0));
  w->hand = draw(g, STREAM_PHASE, leader, 1) < 0 ? -1 : 1;
  w->cosine = rv_cos(phase);
  w->sine = rv_sin(phase);
  w->axial = 1;
  if (clump) w->m1 = clump->across;
  w->frizz = g->frizz + (root->stray ? g->stray_frizz : 0);
  w->kink = (Noise){.stream = STREAM_KINK, .id = root->id, .cell = -1};
  w->sway = (Noise){.stream = STREAM_FRIZZ, .id = root->id, .cell = -1};
  rv_groom_line(g, root, &w->line);
  if (clump) clump_line(g, clump, &w->line);
}

// 1 / sqrt(x) for x near 1, with a relative error of 3/8 (x - 1)^2, which the next step corrects.
static double near_one(double x) {
  return fabs(x - 1) < NEAR_ONE ? 1.5 - 0.5 * x : 1 / sqrt(x);
}

// Turns the phase by an angle. Small angles use a Taylor series, because the walk does this millions of times.
static void turn_phase(Walk* w, double angle) {
  double x = angle * angle, c, s;
  if (x < SMALL_ANGLE2) {
    s = angle * (1 - x / 6 * (1 - x / 20 * (1 - x / 42 * (1 - x / 72))));
    c = 1 - x / 2 * (1 - x / 12 * (1 - x / 30 * (1 - x / 56)));
  } else {
    s = rv_sin(angle);
    c = rv_cos(angle);
  }
  double cosine = w->cosine * c - w->sine * s, sine = w->sine * c + w->cosine * s;
  double unit = near_one(cosine * cosine + sine * sine);
  w->cosine = cosine * unit;
  w->sine = sine * unit;
}

// Offset of the curl from the centre line, after a move along it.
static RvVec3 curl_offset(Walk* w, double radius, double moved, RvVec3 m2) {
  const RvGroomShape* g = w->g;
  double turn = 1, sway[2];
  if (g->kinks > 0) {
    // Where the noise is below the share of kinks the helix changes its sense: a perversion, as in a tendril.
    noise(g, &w->kink, w->s / (2 * w->pitch), sway);
    turn = rv_clamp((sway[0] + 1 - 2 * g->kinks) * KINK_SHARPNESS, -1, 1);
  }
  turn_phase(w, w->hand * turn * 2 * RV_PI * moved / w->pitch);
  RvVec3 at = rv_scale(w->m1, radius * w->cosine);
  return g->wave ? at : rv_mad(at, radius * w->sine, m2);
}

// Advances by `step` of fibre length, at share u of the strand; returns the point there.
static RvVec3 walk_step(Walk* w, double step, double u) {
  const RvGroomShape* g = w->g;
  double radius = w->radius;
  if (u < g->curl_start + g->curl_blend) radius *= u > g->curl_start ? smooth((u - g->curl_start) / g->curl_blend) : 0;
  if (radius != w->axial_radius) {
    w->axial = rv_groom_axial(g, radius, w->pitch);
    w->axial_radius = radius;
  }
  // Advance along the centre line and transport the frame.
  w->s += step * w->axial;
  RvVec3 next = line_at(&w->line, w->s), move = rv_sub(next, w->centre);
  double moved = rv_length(move);
  RvVec3 t = moved > 0 ? rv_scale(move, 1 / moved) : w->root->frame.normal;
  RvVec3 m1 = rv_mad(w->m1, -rv_dot(w->m1, t), t);
  double square = rv_dot(m1, m1);
  w->m1 = square > LEAST_SQUARE ? rv_scale(m1, near_one(square)) : rv_perpendicular(t);
  w->centre = next;
  // Add curl and frizz.
  RvVec3 m2 = rv_cross(t, w->m1), at = next;
  if (radius > 0) at = rv_add(at, curl_offset(w, radius, moved, m2));
  if (w->frizz > 0) {
    double sway[2], grown = w->frizz * smooth(u * 4);
    noise(g, &w->sway, w->s / g->frizz_length, sway);
    at = rv_add(at, rv_add(rv_scale(w->m1, grown * sway[0]), rv_scale(m2, grown * sway[1])));
  }
  return at;
}

// Point where the segment from a (inside) to b (outside) leaves a sphere about p.
static RvVec3 leave_sphere(RvVec3 p, double radius, RvVec3 a, RvVec3 b) {
  RvVec3 d = rv_sub(b, a), o = rv_sub(a, p);
  double dd = rv_dot(d, d);
  double od = rv_dot(o, d);
  double c = rv_dot(o, o) - radius * radius;
  double root = sqrt(fmax(od * od - dd * c, 0));
  if (!(dd > 0)) return b;
  double t = od <= 0 ? (root - od) / dd : -c / (od + root);
  return rv_mad(a, rv_clamp(t, 0, 1), d);
}

// Steps of the walk per segment: enough to resolve a turn and the sway of frizz.
static int fine_steps(const Walk* w, double segment) {
  int least = w->frizz > 0 ? FINE_FRIZZ : FINE_LEAST;
  if (!(w->radius > 0)) return least;
  double turn = w->pitch / rv_groom_axial(w->g, w->radius, w->pitch);
  double wanted = ceil(FINE_A_TURN * segment / turn);
  return wanted < least ? least : wanted > FINE_MOST ? FINE_MOST : (int)wanted;
}

void rv_groom_strand(const RvGroomShape* g, const RvGroomRoot* root, const RvGroomLine* clump, float* points) {
  Walk w;
  walk_begin(&w, g, root, clump);
  double segment = root->length / (g->points - 1), fibre = 0;
  int fine = fine_steps(&w, segment), waited = 0;  // waited: steps since the last point
  double step = segment / fine;
  RvVec3 last = root->frame.position, here = last;
  rv_vec3_store(points, last);
  for (int i = 1; i < g->points;) {
    RvVec3 next = walk_step(&w, step, rv_clamp((fibre + 0.5 * step) / root->length, 0, 1));
    fibre += step;
    // A coil narrower than the segment might never leave the sphere around the last point: then go straight on.
    bool forced = ++waited >= fine * PATIENCE;
    if (forced) {
      next = rv_mad(last, FORCED_STEP * segment, rv_normalize(rv_sub(next, last), root->frame.normal));
      here = last;
    }
    // Each time the walk leaves the sphere of one segment around the last point, that point is emitted.
    while (i < g->points) {
      RvVec3 d = rv_sub(next, last);
      if (!(rv_dot(d, d) >= segment * segment)) break;
      here = leave_sphere(last, segment, here, next);
      last = here;
      rv_vec3_store(points + 3 * (size_t)i++, last);
      waited = 0;
      if (!(segment > 0)) break;
    }
    here = next;
  }
}

void rv_groom_orient(const float* points, int count, RvVec3 first, float* orient) {
  RvVec3 x = first, z = {0, 0, 0};
  for (int i = 0; i < count; ++i) {
    if (i + 1 < count) {
      RvVec3 edge = rv_sub(rv_vec3_load(points + 3 * (size_t)(i + 1)), rv_vec3_load(points + 3 * (size_t)i));
      RvVec3 next = rv_normalize(edge, i ? z : rv_vec3(0, 1, 0));
      if (i) x = rv_quat_rotate(rv_quat_between(z, next), x);
      z = next;
      x = rv_normalize(rv_mad(x, -rv_dot(x, z), z), rv_perpendicular(z));
    }
    RvQuat q = rv_quat_from_matrix((RvMat3){{x, rv_cross(z, x), z}});
    float* out = orient + 4 * (size_t)i;
    out[0] = (float)q.x;
    out[1] = (float)q.y;
    out[2] = (float)q.z;
    out[3] = (float)q.w;
  }
}
