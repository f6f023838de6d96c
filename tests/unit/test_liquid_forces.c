// Viscosity and surface tension within the whole substep of the liquid.
#include <math.h>

#include "liquid/liquid.h"
#include "support/rv_test.h"

// a cube of `side` cells round the origin, with a velocity that shears it
static void fill_cube(RvLiquid* l, int side, double shear) {
  double half = l->model.dx / 2;
  for (int i = 0; i < 8 * side * side * side; ++i) {
    int at[3] = {i % (2 * side), i / (2 * side) % (2 * side), i / (4 * side * side)};
    double cell[3];
    for (int a = 0; a < 3; ++a) cell[a] = 0.5 * at[a] + 0.25 - 0.5 * side;
    size_t k = rv_liquid_particles_add(&l->particles, cell);
    assert_true(k != SIZE_MAX);
    l->particles.volume[k] = half * half * half;
    l->particles.id[k] = l->next_id++;
    l->particles.v[0][k] = (float)(shear * cell[1] * l->model.dx);
    l->particles.c[1][k] = (float)shear;
  }
}

typedef struct Shape {
  double far, near;  // of the outermost particles along the diagonal and along the axes, in cells
  double energy;     // sum of v^2
  double drift;      // of the centre, in cells
} Shape;

static Shape shape_of(const RvLiquid* l) {
  Shape s = {0};
  double center[3] = {0};
  for (size_t i = 0; i < l->particles.count; ++i) {
    double x[3], r = 0, most = 0;
    rv_liquid_particles_place(&l->particles, i, x);
    for (int a = 0; a < 3; ++a) {
      r += x[a] * x[a];
      most = fmax(most, fabs(x[a]));
      center[a] += x[a] / (double)l->particles.count;
      s.energy += (double)l->particles.v[a][i] * l->particles.v[a][i];
    }
    s.far = fmax(s.far, sqrt(r));
    s.near = fmax(s.near, most);
  }
  s.drift = sqrt(center[0] * center[0] + center[1] * center[1] + center[2] * center[2]);
  return s;
}

static RvLiquid make(double dx) {
  RvLiquidModel model = rv_liquid_model_default(dx);
  RvLiquid l;
  model.gravity[1] = 0;
  assert_true(rv_liquid_init(&l, &model));
  return l;
}

// A cube of 8 mm of water, in the time in which it swings through a ball: its corners are drawn in by tension, and stay
// without it. A cube's corners are 1.73 sides away, a ball of its volume is 1.24 everywhere.
static void tension_makes_round(void** state) {
  (void)state;
  RvError error = {0};
  double far[2];
  for (int k = 0; k < 2; ++k) {
    RvLiquid l = make(1e-3);
    l.model.tension = k ? 0.072 : 0;
    fill_cube(&l, 8, 0);
    // the period of a drop's first mode is 2 pi sqrt(density R^3 / (8 tension)), 29 ms for R = 5 mm
    CHECK_OK(rv_liquid_advance(&l, 0.009, 1, 1000, &error), error);
    Shape s = shape_of(&l);
    print_message("tension %g: farthest %.2f cells, %d substeps, moved %.1e\n", l.model.tension, s.far,
                  l.report.substeps, s.drift);
    far[k] = s.far;
    // forces within the drop do not move it
    assert_true(s.drift < 0.02);
    rv_liquid_free(&l);
  }
  assert_true(far[0] > 6.3 && far[1] < 5.9);
}

// Thick liquid that is sheared comes to turn as a whole: the energy of shearing v = (s y, 0, 0) is half rotation, so
// half of it goes, at once; thin liquid keeps it for that time.
static void viscosity_ends_shear(void** state) {
  (void)state;
  RvError error = {0};
  double left[2];
  for (int k = 0; k < 2; ++k) {
    RvLiquid l = make(1e-2);
    // nu t / L^2 = 1 s 0.02 / (0.08 m)^2 = 3
    l.model.viscosity = k ? 1000 : 0;
    fill_cube(&l, 8, 2);
    double before = shape_of(&l).energy;
    CHECK_OK(rv_liquid_advance(&l, 0.02, 4, 1000, &error), error);
    left[k] = shape_of(&l).energy / before;
    print_message("viscosity %g: %.3f of the energy is left\n", l.model.viscosity, left[k]);
    rv_liquid_free(&l);
  }
  CHECK_NEAR(left[0], 1, 0.15);
  CHECK_NEAR(left[1], 0.5, 0.05);
}

static void drag_all(RvLiquidGrid* grid) {
  assert_true(rv_liquid_grid_drag(grid));
  for (int a = 0; a < 3; ++a) rv_channel_fill(grid->drag[a].data, grid->tiles.count, 1e5f);
}

// Drag slows by density / (density + dt drag) a step, with viscosity, before and after which pressure is solved, as
// without.
static void drag_acts_once(void** state) {
  (void)state;
  RvError error = {0};
  for (int k = 0; k < 2; ++k) {
    RvLiquid l = make(0.01);
    l.model.viscosity = k ? 1e-6 : 0;
    fill_cube(&l, 8, 0);
    for (size_t i = 0; i < l.particles.count; ++i) l.particles.v[0][i] = 1;
    CHECK_OK(rv_liquid_arrange(&l, &error), error);
    CHECK_OK(rv_liquid_gather(&l, 0.005, &error), error);
    drag_all(&l.grid);
    CHECK_OK(rv_liquid_project(&l, 0.005, &error), error);
    CHECK_OK(rv_liquid_move(&l, 0.005, &error), error);
    double mean = 0;
    for (size_t i = 0; i < l.particles.count; ++i) mean += (double)l.particles.v[0][i] / (double)l.particles.count;
    CHECK_NEAR(mean, 1 / 1.5, 1e-4);
    rv_liquid_free(&l);
  }
}

// Thick liquid that sticks to its tank stays at rest in it: where it is held it does not feel less of its weight.
static void sticking_liquid_rests(void** state) {
  (void)state;
  RvError error = {0};
  RvLiquid l = make(0.01);
  l.model.gravity[1] = -9.81;
  l.model.viscosity = 100;
  l.model.stick = true;
  fill_cube(&l, 8, 0);
  RvSolidShape box = {.kind = RV_SHAPE_BOX, .size = {0.04, 0.04, 0.04}, .inside_out = true, .open_sides = 8};
  RvSolidShapes tank = {1, &box};
  l.inputs.solid = rv_liquid_solid_shapes_distance;
  l.inputs.solid_user = &tank;
  CHECK_OK(rv_liquid_advance(&l, 0.1, 4, 100, &error), error);
  double fastest = rv_liquid_speed(&l.particles);
  print_message("thick liquid at rest: %g m/s\n", fastest);
  // a step gives its weight 0.25 m/s, of which the tolerance of the first pressure leaves 1e-4
  assert_true(fastest < 1e-3);
  rv_liquid_free(&l);
}

RV_TESTS(cmocka_unit_test(tension_makes_round), cmocka_unit_test(viscosity_ends_shear),
         cmocka_unit_test(drag_acts_once), cmocka_unit_test(sticking_liquid_rests))
