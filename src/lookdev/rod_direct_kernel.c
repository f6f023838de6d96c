// The direct solve of a strand: all multipliers of an iteration at once, by a block LDL^T factorisation of 3 x 3 blocks
// with half band two. The blocks alternate along the strand, stretch-shear of edge 0, bend-twist of vertex 1,
// stretch-shear of edge 1, ...: neighbours share a quaternion, and every second one a vertex or a quaternion.
//
// With the inverse inertias W of vertices and a, c of rotations about d1, d2 and d3, and the derivatives
//   stretch-shear:  dC = dx_{j+1} - dx_j + l (d2 t1 - d1 t2)      for a rotation t in the frame of the edge
//   bend-twist:     dC = (w + [v]x) t_i - (w - [v]x) t_{i-1}      for R = (v, w), exact at any turn
// the blocks have closed forms, since R is a unit quaternion: B W B^T = a (1 - v v^T) + (c - a) b b^T with b the third
// column of B.
#include "lookdev/rod_lanes.h"

unsigned RV_KERNEL(rv_cosserat_direct)(const RvCosseratBatch* b, double* room);
size_t RV_KERNEL(rv_cosserat_room)(int vertices);

// What the pivots so far leave for the next block and the one after it.
typedef struct Front {
  RodSym here, next;  // diagonal blocks
  RodMat between;     // block of the next row in this column
  RvLanes3 rhs, rhs_next;
} Front;

// a b^T as columns: column k is a b_k.
RV_INLINE RodMat mat_outer(RvLanes3 a, RvLanes3 b) {
  return (RodMat){{rv_lanes3_scale(a, b.x), rv_lanes3_scale(a, b.y), rv_lanes3_scale(a, b.z)}};
}
RV_INLINE RodMat mat_add_outer(RodMat m, RvLanes3 a, RvLanes3 b) {
  m.c[0] = rv_lanes3_mad(m.c[0], b.x, a);
  m.c[1] = rv_lanes3_mad(m.c[1], b.y, a);
  m.c[2] = rv_lanes3_mad(m.c[2], b.z, a);
  return m;
}
RV_INLINE RodMat mat_add(RodMat a, RodMat b) {
  return (RodMat){{rv_lanes3_add(a.c[0], b.c[0]), rv_lanes3_add(a.c[1], b.c[1]), rv_lanes3_add(a.c[2], b.c[2])}};
}
RV_INLINE RvLanes3 mat_apply(const RodMat* m, RvLanes3 a) {
  return rv_lanes3_mad(rv_lanes3_mad(rv_lanes3_scale(m->c[0], a.x), a.y, m->c[1]), a.z, m->c[2]);
}
RV_INLINE RvLanes3 mat_apply_transposed(const RodMat* m, RvLanes3 a) {
  return (RvLanes3){rv_lanes3_dot(m->c[0], a), rv_lanes3_dot(m->c[1], a), rv_lanes3_dot(m->c[2], a)};
}
// m s for a symmetric s.
RV_INLINE RodMat mat_times_sym(const RodMat* m, RodSym s) {
  return (RodMat){{mat_apply(m, (RvLanes3){s.xx, s.xy, s.xz}), mat_apply(m, (RvLanes3){s.xy, s.yy, s.yz}),
                   mat_apply(m, (RvLanes3){s.xz, s.yz, s.zz})}};
}
RV_INLINE RodMat mat_of_sym(RodSym s) {
  return (RodMat){{{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}}};
}
// s - a b^T, for products that are symmetric.
RV_INLINE RodSym sym_minus_product(RodSym s, const RodMat* a, const RodMat* b) {
  RV_UNROLL
  for (int k = 0; k < 3; ++k) {
    const RvLanes3 m = rod_neg(a->c[k]), n = b->c[k];
    s.xx = rv_lanes_fma(m.x, n.x, s.xx);
    s.xy = rv_lanes_fma(m.x, n.y, s.xy);
    s.xz = rv_lanes_fma(m.x, n.z, s.xz);
    s.yy = rv_lanes_fma(m.y, n.y, s.yy);
    s.yz = rv_lanes_fma(m.y, n.z, s.yz);
    s.zz = rv_lanes_fma(m.z, n.z, s.zz);
  }
  return s;
}

// Eliminates a block with the columns m1 and m2 below it; writes its factor and moves the front on.
RV_INLINE void eliminate(Front* f, const RodMat* m1, const RodMat* m2, RodMat* l1, RodMat* l2, RvLanes3* z) {
  const RodSym inverse = rod_sym_inverse(f->here);
  const RodMat a = mat_times_sym(m1, inverse), b = mat_times_sym(m2, inverse);
  *l1 = a;
  *l2 = b;
  *z = rod_sym_apply(inverse, f->rhs);
  const RvLanes3 rhs = f->rhs;
  f->here = sym_minus_product(f->next, &a, m1);
  f->next = sym_minus_product(rod_sym_diagonal(rv_lanes_set(0)), &b, m2);
  // -b m1^T
  f->between = mat_outer(rod_neg(b.c[0]), m1->c[0]);
  f->between = mat_add_outer(f->between, rod_neg(b.c[1]), m1->c[1]);
  f->between = mat_add_outer(f->between, rod_neg(b.c[2]), m1->c[2]);
  f->rhs = rv_lanes3_sub(f->rhs_next, mat_apply(&a, rhs));
  f->rhs_next = rod_neg(mat_apply(&b, rhs));
}

// Columns of B = w + [v]x, the derivative of the bend-twist strain by the rotation of the edge after the vertex; that
// by the edge before is -B^T.
RV_INLINE RodMat bend_columns(RodQuat r) {
  return (RodMat){{{r.w, r.v.z, -r.v.y}, {-r.v.z, r.w, r.v.x}, {r.v.y, -r.v.x, r.w}}};
}
RV_INLINE RodMat bend_rows(RodQuat r) {
  return (RodMat){{{r.w, -r.v.z, r.v.y}, {r.v.z, r.w, -r.v.x}, {-r.v.y, r.v.x, r.w}}};
}

// Rotation of an edge without the multipliers: back to where inertia alone would have it (none in the first
// iteration).
RV_INLINE RvLanes3 free_turn(const RodEdge* e) {
  const RodQuat off = rod_quat_between(e->start, e->q);
  const RvLanes3 back = rv_lanes3_scale(off.v, rv_lanes_set(-2) * e->inertia / off.w);
  return (RvLanes3){back.x * e->soft, back.y * e->soft, back.z * e->twist};
}

// Diagonal block and residual of the bend-twist constraint of vertex i.
RV_INLINE void add_bend(const RodPart* p, int i, bool first, Front* f) {
  const RodEdge *a = &p->edge[i - 1], *e = &p->edge[i];
  const RodQuat r = e->turn;
  const RvLanes soft = a->soft + e->soft;
  RodSym m = rod_sym_add(f->here, e->bend);
  m.xx += soft;
  m.yy += soft;
  m.zz += soft;
  m = rod_sym_outer(m, -soft, r.v);
  m = rod_sym_outer(m, a->twist - a->soft, (RvLanes3){-r.v.y, r.v.x, r.w});
  f->here = rod_sym_outer(m, e->twist - e->soft, (RvLanes3){r.v.y, -r.v.x, r.w});
  RvLanes3 strain = rv_lanes3_sub(rv_lanes3_add(r.v, r.v), e->strain_goal);
  if (!first) {
    const RodMat columns = bend_columns(r), rows = bend_rows(r);
    const RvLanes3 after = free_turn(e), before = free_turn(a);
    strain = rv_lanes3_add(strain, mat_apply(&columns, after));
    strain = rv_lanes3_sub(strain, mat_apply(&rows, before));
  }
  f->rhs = rv_lanes3_sub(f->rhs, strain);
}

// Diagonal block and residual of the stretch-shear constraint of edge j.
RV_INLINE void add_stretch(const RodPart* p, int j, bool first, Front* f) {
  const RodEdge* e = &p->edge[j];
  const RodVertex *a = &p->vertex[j], *b = &p->vertex[j + 1];
  const RvLanes l = rv_lanes_load(p->b->length + j * RV_W + p->lane);
  const RvLanes turn = l * l * e->soft;
  const RvLanes diagonal = turn + rv_lanes_load(p->b->stretch + j * RV_W + p->lane);
  RodSym m = rod_sym_add(f->here, rod_sym_add(a->soft, b->soft));
  m.xx += diagonal;
  m.yy += diagonal;
  m.zz += diagonal;
  f->here = rod_sym_outer(m, -turn, e->d3);
  RvLanes3 gap = rv_lanes3_mad(rv_lanes3_sub(b->x, a->x), -l, e->d3);
  if (!first) {
    const RvLanes3 t = free_turn(e);
    gap = rv_lanes3_mad(gap, l * t.x, e->d2);
    gap = rv_lanes3_mad(gap, -(l * t.y), e->d1);
  }
  f->rhs = rv_lanes3_sub(f->rhs, gap);
}

// Block of a stretch-shear constraint's row and the column of a bend-twist constraint that has the columns m of its
// derivative by the edge: l a (d2 m1^T - d1 m2^T).
RV_INLINE RodMat stretch_times(const RodEdge* e, RvLanes l, const RodMat* m) {
  const RvLanes s = l * e->soft;
  const RodMat first = mat_outer(rv_lanes3_scale(e->d2, s), m->c[0]);
  return mat_add_outer(first, rv_lanes3_scale(e->d1, -s), m->c[1]);
}

// Factorises and substitutes forward, from the root to the tip.
RV_INLINE void forward(const RodPart* p, bool first) {
  const RvLanes zero = rv_lanes_set(0);
  Front f = {.here = rod_sym_diagonal(zero),
             .next = rod_sym_diagonal(zero),
             .between = {{rod_zero3(), rod_zero3(), rod_zero3()}},
             .rhs = rod_zero3(),
             .rhs_next = rod_zero3()};
  const RodQuat none = {rod_zero3(), zero};
  p->edge[0].turn = none;
  for (int j = 0; j + 1 < p->n; ++j) {
    RodEdge* e = &p->edge[j];
    const bool last = j + 2 == p->n;
    const RodQuat r = last ? none : rod_quat_between(e->q, p->edge[j + 1].q);
    if (!last) p->edge[j + 1].turn = r;
    const RvLanes l = rv_lanes_load(p->b->length + j * RV_W + p->lane);
    // B of the next vertex; its derivative by this edge is -B^T.
    RodMat before = bend_rows(r);
    RV_UNROLL
    for (int k = 0; k < 3; ++k) before.c[k] = rod_neg(before.c[k]);
    // The bend-twist block of the first vertex.
    if (j > 0) {
      add_bend(p, j, first, &f);
      const RodMat after = bend_columns(e->turn);
      const RodMat m1 = mat_add(f.between, stretch_times(e, l, &after));
      RodMat m2 = mat_outer(rv_lanes3_scale(before.c[0], e->soft), after.c[0]);
      m2 = mat_add_outer(m2, rv_lanes3_scale(before.c[1], e->soft), after.c[1]);
      m2 = mat_add_outer(m2, rv_lanes3_scale(before.c[2], e->twist), after.c[2]);
      eliminate(&f, &m1, &m2, &e->l1_bend, &e->l2_bend, &e->z_bend);
    }
    // The stretch-shear block.
    add_stretch(p, j, first, &f);
    const RvLanes s = l * e->soft;
    RodMat m1 = mat_add_outer(f.between, rv_lanes3_scale(before.c[0], s), e->d2);
    m1 = mat_add_outer(m1, rv_lanes3_scale(before.c[1], -s), e->d1);
    const RvLanes shared = rv_lanes_set(last ? 0 : -1);
    const RodMat m2 = mat_of_sym(rod_sym_scale(p->vertex[j + 1].soft, shared));
    eliminate(&f, &m1, &m2, &e->l1_stretch, &e->l2_stretch, &e->z_stretch);
  }
}

// Square of the largest rotation of an edge, rad^2, after which a lane is linearised once more: the error of a length
// is half of it.
#define LARGE_TURN2 0.02
// Further iterations of lanes with such turns, at most.
enum { MORE_ITERATIONS = 3 };

// Substitutes backward, from the tip to the root: multipliers, turns of the edges and places, in the lanes of the mask.
// Returns the square of the largest turn.
RV_INLINE RvLanes backward(const RodPart* p, bool first, RvLaneMask open) {
  RvLanes3 stretch_after = rod_zero3(), bend_after = rod_zero3();
  RvLanes largest = rv_lanes_set(0);
  for (int j = p->n - 2; j >= 0; --j) {
    RodEdge* e = &p->edge[j];
    // Multipliers of the edge and of its first vertex.
    RvLanes3 stretch = rv_lanes3_sub(e->z_stretch, mat_apply_transposed(&e->l1_stretch, bend_after));
    stretch = rv_lanes3_sub(stretch, mat_apply_transposed(&e->l2_stretch, stretch_after));
    RvLanes3 bend = rod_zero3();
    if (j > 0) {
      bend = rv_lanes3_sub(e->z_bend, mat_apply_transposed(&e->l1_bend, stretch));
      bend = rv_lanes3_sub(bend, mat_apply_transposed(&e->l2_bend, bend_after));
    }
    // Torque in the frame of the edge: of the force, of the moments at both ends.
    const RvLanes l = rv_lanes_load(p->b->length + j * RV_W + p->lane);
    RvLanes3 torque = {l * rv_lanes3_dot(e->d2, stretch), -(l * rv_lanes3_dot(e->d1, stretch)), rv_lanes_set(0)};
    if (j > 0) {
      const RodMat columns = bend_columns(e->turn);
      torque = rv_lanes3_add(torque, mat_apply_transposed(&columns, bend));
    }
    if (j + 2 < p->n) {
      const RodMat columns = bend_columns(p->edge[j + 1].turn);
      torque = rv_lanes3_sub(torque, mat_apply(&columns, bend_after));
    }
    // Turn of the edge, place of its second vertex, tension.
    RvLanes3 turn = {e->soft * torque.x, e->soft * torque.y, e->twist * torque.z};
    if (!first) turn = rv_lanes3_add(turn, free_turn(e));
    largest = rv_lanes_max(largest, rv_lanes3_dot(turn, turn));
    const RodQuat q = rod_quat_turn(e->q, rv_lanes3_scale(turn, rv_lanes_set(0.5)));
    e->q.v = rod_select3(open, q.v, e->q.v);
    e->q.w = rv_lanes_select(open, q.w, e->q.w);
    RodVertex* v = &p->vertex[j + 1];
    const RvLanes3 place = rv_lanes3_add(v->x, rod_sym_apply(v->soft, rv_lanes3_sub(stretch, stretch_after)));
    v->place = rod_select3(open, place, v->place);
    double* tension = p->b->tension + j * RV_W + p->lane;
    rv_lanes_store(tension, rv_lanes_select(open, -rv_lanes3_dot(stretch, e->d3), rv_lanes_load(tension)));
    stretch_after = stretch;
    bend_after = bend;
  }
  RodVertex* root = &p->vertex[0];
  root->place = rod_select3(open, rv_lanes3_sub(root->x, rod_sym_apply(root->soft, stretch_after)), root->place);
  return largest;
}

// Iterations after the first, in the lanes of the mask.
RV_INLINE RvLanes iterate(const RodPart* p, RvLaneMask open) {
  for (int j = 0; j + 1 < p->n; ++j) rod_directors(&p->edge[j]);
  forward(p, false);
  return backward(p, false, open);
}

// The artist's iterations, and some more of the lanes whose last one turned an edge far: one linear solve cannot follow
// it. Each lane decides for itself, so that bits do not depend on the width of a register.
RV_INLINE unsigned solve(const RodPart* p) {
  RvLaneMask open = rv_lanes_positive(rv_lanes_set(1));
  rod_start(p);
  forward(p, true);
  RvLanes largest = backward(p, true, open);
  for (int k = 1; k < p->b->iterations; ++k) largest = iterate(p, open);
  for (int k = 0; k < MORE_ITERATIONS; ++k) {
    open &= rv_lanes_positive(largest - rv_lanes_set(LARGE_TURN2));
    if (!rv_lanes_bits(open)) break;
    largest = iterate(p, open);
  }
  return rod_finish(p);
}

size_t RV_KERNEL(rv_cosserat_room)(int n) {
  return ((size_t)n * (sizeof(RodEdge) + sizeof(RodVertex)) + 64) / sizeof(double);
}

unsigned RV_KERNEL(rv_cosserat_direct)(const RvCosseratBatch* b, double* room) {
  unsigned failed = 0;
  for (int lane = 0; lane < RV_W; lane += RV_V) {
    RodEdge* edges = (RodEdge*)room;
    const RodPart p = {b, lane, b->vertices, edges, (RodVertex*)(edges + b->vertices)};
    failed |= solve(&p) << lane;
  }
  return failed;
}
