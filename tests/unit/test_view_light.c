// Light in pictures against what optics say: energy, Snell, Beer, wet hair, motion, lenses.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/vec.h"
#include "support/cook.h"
#include "support/rv_test.h"
#include "view/light.h"
#include "view/view_scene.h"

//---------------------------------------------------------------------------------------------- things to look at

static RvDetail* faces(int npoint, const float* xyz, int nface, const int32_t* quads, const char* name, float grey) {
  RvError error = {0};
  RvDetail* d = rv_detail_new();
  CHECK_OK(rv_detail_add_points(d, (size_t)npoint, NULL, &error), error);
  memcpy(rv_detail_f32_write(d, RV_POINT, "P", 3, &error), xyz, (size_t)npoint * 3 * sizeof(float));
  for (int i = 0; i < nface; ++i) {
    int32_t four = 4;
    CHECK_OK(rv_detail_add_polygons(d, RV_PRIM_POLYGON, 1, &four, quads + 4 * i, NULL, &error), error);
  }
  if (name) {
    RvAttrib* a = NULL;
    CHECK_OK(rv_detail_add_attrib(d, RV_PRIM, "name", RV_STRING, 1, RV_TAG_NONE, &a, &error), error);
    for (int i = 0; i < nface; ++i) CHECK_OK(rv_attrib_set_string(a, (size_t)i, 0, name, &error), error);
  }
  if (grey >= 0) {
    float* c = rv_detail_f32_write(d, RV_GLOBAL, "Cd", 3, &error);
    c[0] = c[1] = c[2] = grey;
  }
  return d;
}

// a box about the origin, `thick` along z, turned about y
static RvDetail* slab(double half, double thick, double turn, const char* name) {
  static const int32_t quads[] = {0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1, 2, 3, 7, 6, 0, 2, 6, 4, 1, 5, 7, 3};
  float xyz[24];
  for (int i = 0; i < 8; ++i) {
    double x = i & 1 ? half : -half, y = i & 2 ? half : -half, z = i & 4 ? thick / 2 : -thick / 2;
    xyz[3 * i] = (float)(x * cos(turn) + z * sin(turn));
    xyz[3 * i + 1] = (float)y;
    xyz[3 * i + 2] = (float)(z * cos(turn) - x * sin(turn));
  }
  return faces(8, xyz, 6, quads, name, -1);
}

// strands side by side along x, bent over a cylinder about the x axis
static RvDetail* curtain(float wet) {
  enum { STRANDS = 400, POINTS = 24 };
  RvError error = {0};
  RvDetail* d = rv_detail_new();
  CHECK_OK(rv_detail_add_curves(d, STRANDS, POINTS, NULL, NULL, &error), error);
  float *p = rv_detail_f32_write(d, RV_POINT, "P", 3, &error),
        *w = rv_detail_f32_write(d, RV_POINT, "wetness", 1, &error);
  for (int s = 0; s < STRANDS; ++s)
    for (int i = 0; i < POINTS; ++i, p += 3) {
      double a = M_PI * (i + 0.5) / POINTS;
      p[0] = (float)(-1 + 2.0 * s / STRANDS);
      p[1] = (float)cos(a);
      p[2] = (float)sin(a);
      *w++ = wet;
    }
  *rv_detail_f32_write(d, RV_GLOBAL, "width", 1, &error) = 0.008f;
  return d;
}

// n^3 particles 0.1 apart from the origin on, and one far away
static RvDetail* block(int n, float speed) {
  RvError error = {0};
  RvDetail* d = rv_detail_new();
  size_t count = (size_t)n * (size_t)n * (size_t)n + 1;
  CHECK_OK(rv_detail_add_points(d, count, NULL, &error), error);
  float *p = rv_detail_f32_write(d, RV_POINT, "P", 3, &error),
        *r = rv_detail_f32_write(d, RV_POINT, "pscale", 1, &error);
  float* v = rv_detail_f32_write(d, RV_POINT, "v", 3, &error);
  for (size_t i = 0; i < count; ++i) {
    size_t side = (size_t)n;
    p[3 * i] = (float)(0.1 * ((double)(i % side) - 0.5 * (n - 1)));
    p[3 * i + 1] = (float)(0.1 * ((double)(i / side % side) - 0.5 * (n - 1)));
    p[3 * i + 2] = (float)(0.1 * ((double)(i / side / side) - 0.5 * (n - 1)));
    r[i] = 0.062f;
    v[3 * i] = speed;
  }
  p[3 * (count - 1) + 1] = 1.5f;
  return d;
}

static RvCamera camera_at(double z, double fov) {
  return (RvCamera){.eye = {0, 0, z}, .up = {0, 1, 0}, .fov_y_degrees = fov};
}

static RvViewOptions plain_options(int width, int height, int samples, RvViewPass pass) {
  RvViewOptions o = rv_view_options(RV_VIEW_NORMAL, width, height);
  o.samples = samples;
  o.noise = 0;
  o.pass = pass;
  o.ground = false;
  return o;
}

static RvImage render(RvDetail* const* details, size_t count, const RvCamera* camera, const RvViewOptions* o,
                      RvViewStats* stats) {
  RvError error = {0};
  RvImage image;
  CHECK_OK(rv_view_render_stats((const RvDetail* const*)details, count, camera, o, NULL, NULL, &image, stats, &error),
           error);
  return image;
}

//---------------------------------------------------------------------------------------------- energy

// what a fibre sends on, summed over all directions: even in the sine along the fibre and in the angle around it, every
// cell has the same solid angle
static double sent_on(const RvFibre* fibre, double* density) {
  enum { N = 250 };
  double sum = 0;
  *density = 0;
  for (int i = 0; i < N; ++i)
    for (int k = 0; k < N; ++k) {
      double x = -1 + 2 * (i + 0.5) / N, phi = 2 * M_PI * (k + 0.5) / N, r = sqrt(1 - x * x), p;
      RvVec3 f = rv_view_fibre_scatter(fibre, rv_vec3(x, r * cos(phi), r * sin(phi)), &p);
      assert_true(f.x >= 0 && p >= 0);
      sum += f.x * 4 * M_PI / N / N;
      *density += p * 4 * M_PI / N / N;
    }
  return sum;
}

// white furnace: a fibre that absorbs nothing returns all light that arrives, within 2%, whatever its roughness, tilt,
// wetness and inclination; one that absorbs returns less; directions are sampled with a density whose integral is 1
static void fibres_conserve_energy(void** state) {
  (void)state;
  const double around[] = {0.1, 0.3, 0.9}, along[] = {0.1, 0.3, 0.8}, index[] = {1.3, 1.55, 2};
  static RvFibreTable table;
  for (int n = 0; n < 3; ++n) {
    rv_view_fibre_table(&table, index[n], around[n]);
    for (int m = 0; m < 3; ++m)
      for (int w = 0; w < 3; ++w)
        for (int a = -2; a <= 2; ++a) {
          RvFibreLook look = {.along = along[m], .tilt = 0.05, .wet = 0.5 * w, .sunk = 0.5 * w, .film_along = 0.1};
          RvVec3 view = rv_vec3(sin(0.6 * a), 0, cos(0.6 * a));
          RvFibre fibre = rv_view_fibre(&table, &look, rv_vec3(1, 0, 0), view);
          double density;
          CHECK_NEAR(sent_on(&fibre, &density), 1, 0.02);
          CHECK_NEAR(density, 1, 0.02);
          look.absorption = rv_vec3(1, 1, 1);
          fibre = rv_view_fibre(&table, &look, rv_vec3(1, 0, 0), view);
          assert_true(sent_on(&fibre, &density) < 0.85);
        }
  }
}

// directions are drawn with the density that is told: the mean of what is sent on over the density is all light
static void fibres_are_sampled_by_their_density(void** state) {
  (void)state;
  enum { N = 100000 };
  const double around[] = {0.1, 0.3, 0.9}, along[] = {0.1, 0.3, 0.8};
  static RvFibreTable table;
  for (int n = 0; n < 3; ++n) {
    rv_view_fibre_table(&table, 1.55, around[n]);
    for (int m = 0; m < 6; ++m) {
      RvFibreLook look = {.along = along[m / 2], .tilt = 0.05, .wet = m % 2, .sunk = m % 2, .film_along = 0.1};
      RvFibre fibre = rv_view_fibre(&table, &look, rv_vec3(1, 0, 0), rv_vec3(0.3, 0, sqrt(1 - 0.09)));
      double mean = 0, density;
      for (int i = 0; i < N; ++i) {
        // a lattice in four dimensions: powers of the generalised golden section
        const double u[2] = {fmod(0.5 + 0.8566748838545029 * i, 1), fmod(0.5 + 0.7338918566271260 * i, 1)};
        const double v[2] = {fmod(0.5 + 0.6287067210378087 * i, 1), fmod(0.5 + 0.5385972572236101 * i, 1)};
        RvVec3 d = rv_view_fibre_sample(&fibre, u, v), f = rv_view_fibre_scatter(&fibre, d, &density);
        if (density > 0) mean += f.x / density / N;
      }
      // the lattice leaves less than 1e-3
      CHECK_NEAR(mean, 1, 2e-3);
    }
  }
}

// shares sent forward and back are the same integrals over the halves; dense hair gets back the colour that the fit of
// Chiang et al. was made for; in water less light comes back, so it is darker
static void piles_have_their_colour(void** state) {
  (void)state;
  static RvFibreTable table;
  rv_view_fibre_table(&table, RV_LOOK_HAIR_IOR, RV_LOOK_HAIR_ROUGHNESS);
  const double colors[] = {1, 0.8, 0.5, 0.2};
  double last = 2;
  for (int i = 0; i < 4; ++i) {
    double a = rv_look_absorption(colors[i], RV_LOOK_HAIR_ROUGHNESS), reflected[2];
    CHECK_NEAR(rv_look_color(a, RV_LOOK_HAIR_ROUGHNESS), colors[i], 1e-9);
    for (int sunk = 0; sunk < 2; ++sunk) {
      RvFibreLook look = {.absorption = {a, a, a}, .along = 0.3, .sunk = sunk};
      RvFibre fibre = rv_view_fibre(&table, &look, rv_vec3(1, 0, 0), rv_vec3(0.4, 0, sqrt(1 - 0.16)));
      RvVec3 forward, back;
      rv_view_fibre_shares(&fibre, &forward, &back);
      double density, sum = sent_on(&fibre, &density);
      if (!sunk) CHECK_NEAR(forward.x + back.x, sum, 0.01);
      // many layers, one on another, by Stokes' sums
      double r = 0;
      for (int k = 0; k < 4000; ++k) r = back.x + forward.x * forward.x * r / (1 - back.x * r);
      reflected[sunk] = r;
    }
    CHECK_NEAR(reflected[0], colors[i], 0.04);
    if (colors[i] < 1) assert_true(reflected[1] < 0.9 * reflected[0]);
    assert_true(reflected[0] < last);
    last = reflected[0];
  }
}

// light of 1 from everywhere: water that absorbs nothing is not seen at all
static void white_furnace(void** state) {
  (void)state;
  RvCamera camera = camera_at(4, 40);
  RvDetail* water[] = {block(6, 0), slab(0.7, 0.4, 0.7, "water")};
  for (int i = 0; i < 2; ++i) {
    RvViewOptions o = plain_options(60, 40, 16, RV_VIEW_BEAUTY);
    o.furnace = true;
    memset(o.absorption, 0, sizeof o.absorption);
    RvImage image = render(&water[i], 1, &camera, &o, NULL);
    for (int k = 0; k < 60 * 40 * 3; ++k) CHECK_NEAR(image.rgb[k], 1, 1e-5);
    rv_view_image_free(&image);
    // and what absorbs is seen: the test above could have failed
    o.absorption[0] = 3;
    image = render(&water[i], 1, &camera, &o, NULL);
    assert_true(image.rgb[3 * (20 * 60 + 30)] < 0.7f);
    rv_view_image_free(&image);
    rv_detail_free(water[i]);
  }
}

// strands along x in layers one behind another, each shifted a little
static RvDetail* mat(int layers, float wet) {
  enum { STRANDS = 300, POINTS = 4 };
  RvError error = {0};
  RvDetail* d = rv_detail_new();
  CHECK_OK(rv_detail_add_curves(d, (size_t)layers * STRANDS, POINTS, NULL, NULL, &error), error);
  float *p = rv_detail_f32_write(d, RV_POINT, "P", 3, &error),
        *w = rv_detail_f32_write(d, RV_POINT, "wetness", 1, &error);
  for (int l = 0; l < layers; ++l)
    for (int s = 0; s < STRANDS; ++s)
      for (int i = 0; i < POINTS; ++i, p += 3) {
        p[0] = (float)(-2 + 4.0 * i / (POINTS - 1));
        p[1] = (float)(-1.5 + 3.0 * (s + 0.37 * l) / STRANDS);
        p[2] = (float)(-0.03 * l);
        *w++ = wet;
      }
  *rv_detail_f32_write(d, RV_GLOBAL, "width", 1, &error) = 0.012f;
  return d;
}

// the mean of hair in light of 1 from everywhere, over a part of the picture that it covers
static double furnace_of(RvDetail* hair, float grey) {
  enum { W = 60, H = 40 };
  RvError error = {0};
  RvCamera camera = camera_at(4, 40);
  float* c = rv_detail_f32_write(hair, RV_GLOBAL, "Cd", 3, &error);
  c[0] = c[1] = c[2] = grey;
  // white hair is measured to 2%: 192 samples of 320 pixels leave 0.3%
  RvViewOptions o = plain_options(W, H, grey < 1 ? 32 : 192, RV_VIEW_BEAUTY);
  o.furnace = true;
  // two stops less, so that no sample is clamped
  o.exposure = -2;
  RvImage image = render(&hair, 1, &camera, &o, NULL);
  double mean = 0;
  for (int y = 12; y < 28; ++y)
    for (int x = 20; x < 40; ++x) mean += 4 * image.rgb[3 * (y * W + x)] / (16 * 20);
  rv_view_image_free(&image);
  return mean;
}

// white hair is not seen in light of 1 from everywhere, within 2%: one layer, and many on one another, dry and wet;
// darker hair is seen, and the darker the more
static void white_hair_returns_all_light(void** state) {
  (void)state;
  for (int i = 0; i < 6; ++i) {
    const int layers[] = {0, 4, 12};
    RvDetail* hair = i < 2 ? curtain((float)(i % 2)) : mat(layers[i / 2], (float)(i % 2));
    CHECK_NEAR(furnace_of(hair, 1), 1, 0.02);
    double grey = furnace_of(hair, 0.5f), black = furnace_of(hair, 0.01f);
    assert_true(grey < 0.97 && black < 0.4 * grey);
    rv_detail_free(hair);
  }
}

//---------------------------------------------------------------------------------------------- water

// where a ray of the middle row meets the plane z = -2 behind a slab turned by `turn`, by Snell's law
static double behind_slab(double tan_x, double eye, double thick, double turn, double index) {
  // in the slab's frame, whose z is its normal
  double c = cos(turn), s = sin(turn), n = sqrt(1 + tan_x * tan_x), d[2] = {tan_x / n, -1 / n};
  double dx = d[0] * c - d[1] * s, dz = d[0] * s + d[1] * c, px = -eye * s, pz = eye * c;
  double t = (thick / 2 - pz) / dz;
  px += t * dx;
  double inside = dx / index, deep = -sqrt(1 - inside * inside);
  px += thick * inside / -deep;
  pz = -thick / 2;
  double x = px * c + pz * s, z = pz * c - px * s;
  return x + (z + 2) * d[0] / -d[1];
}

static void slabs_bend_light(void** state) {
  (void)state;
  enum { W = 400, H = 9 };
  double eye = 6, fov = 0.25, thick = 0.6, turn = 0.8;
  // black left of x = 0 behind the slab, white right of it
  const float left[] = {-9, -9, -2, 0, -9, -2, 0, 9, -2, -9, 9, -2},
              right[] = {0, -9, -2, 9, -9, -2, 9, 9, -2, 0, 9, -2};
  const int32_t quad[] = {0, 1, 2, 3};
  RvDetail* d[] = {faces(4, left, 1, quad, NULL, 0), faces(4, right, 1, quad, NULL, 0.9f),
                   slab(2, thick, turn, "water")};
  RvCamera camera = camera_at(eye, fov);
  RvViewOptions o = plain_options(W, H, 64, RV_VIEW_BEAUTY);
  memset(o.absorption, 0, sizeof o.absorption);
  double tan_half = tan(fov * M_PI / 360), edge[2] = {-1, -1}, expected = -1;
  for (int i = 0; i < 2; ++i) {
    RvImage image = render(d, i ? 3 : 2, &camera, &o, NULL);
    const float* row = image.rgb + (size_t)3 * W * (H / 2);
    double lo = row[0], hi = row[3 * (W - 1)], middle = (lo + hi) / 2;
    assert_true(hi > 2 * lo);
    for (int x = 1; x < W && edge[i] < 0; ++x)
      if (row[3 * x] > middle) edge[i] = x + 0.5 - (row[3 * x] - middle) / (row[3 * x] - row[3 * x - 3]);
    rv_view_image_free(&image);
  }
  // find the pixel whose ray ends at the edge
  for (double x = 0; x < W; x += 0.05) {
    double tan_x = (2 * x / W - 1) * tan_half * W / H;
    if (behind_slab(tan_x, eye, thick, turn, 1.333) > 0) {
      expected = x;
      break;
    }
  }
  // without the slab the edge is in the middle; with it the ray is moved by thick sin(a - b) / cos(b)
  CHECK_NEAR(edge[0], W / 2.0, 1);
  assert_true(fabs(expected - edge[0]) > 10);
  CHECK_NEAR(edge[1], expected, 1.5);
  for (int i = 0; i < 3; ++i) rv_detail_free(d[i]);
}

// straight through a slab in even light: mirrored and sent through, with all the ways to and fro inside it
static void beers_law(void** state) {
  (void)state;
  const double thick = 0.5, f = pow(0.333 / 2.333, 2), absorption[3] = {0.5, 2, 8};
  RvDetail* d = slab(2, thick, 0, "water");
  RvCamera camera = camera_at(5, 0.01);
  RvViewOptions o = plain_options(2, 2, 4096, RV_VIEW_BEAUTY);
  o.furnace = true;
  memcpy(o.absorption, absorption, sizeof absorption);
  RvImage image = render(&d, 1, &camera, &o, NULL);
  for (int k = 0; k < 3; ++k) {
    double t = exp(-absorption[k] * thick), loop = 1 - f * f * t * t;
    double expected = f + f * (1 - f) * (1 - f) * t * t / loop + (1 - f) * (1 - f) * t / loop;
    // one ray in fifty is mirrored inside: 4096 of them leave 0.2% of a mean that differs by a third at most
    CHECK_NEAR(image.rgb[k], expected, 0.003);
  }
  rv_view_image_free(&image);
  rv_detail_free(d);
}

static void count_warning(void* user, RvLevel level, const char* text) {
  if (level == RV_LEVEL_WARNING && strstr(text, "drawn as drops")) ++*(int*)user;
}

static void points_become_a_surface(void** state) {
  (void)state;
  enum { N = 10 };
  RvDetail* d = block(N, 0);
  RvCamera camera = camera_at(20, 12);
  RvViewOptions o = plain_options(120, 120, 16, RV_VIEW_COVERAGE);
  RvViewStats stats = {0};
  RvImage image = render(&d, 1, &camera, &o, &stats);
  // the one far from all others stays a drop
  assert_int_equal(stats.spheres, 1);
  assert_true(stats.triangles > 1000);
  double sum = 0, scale = 60 / (20 * tan(12 * M_PI / 360));
  for (int i = 0; i < 120 * 120; ++i) sum += image.rgb[3 * i];
  // the block's face is 1 x 1, nearer by half; its corners are rounded
  double face = pow(scale * 20 / 19.5, 2), drop = M_PI * pow(scale * 0.062, 2);
  CHECK_NEAR((sum - drop) / face, 1, 0.06);
  rv_view_image_free(&image);
  int warnings = 0;
  RvLog log = {&warnings, count_warning};
  o.log = &log;
  o.liquid_memory = 1;
  image = render(&d, 1, &camera, &o, &stats);
  assert_int_equal(warnings, 1);
  assert_int_equal(stats.spheres, N * N * N + 1);
  rv_view_image_free(&image);
  o = plain_options(120, 120, 1, RV_VIEW_COVERAGE);
  o.liquid = RV_VIEW_LIQUID_PARTICLES;
  image = render(&d, 1, &camera, &o, &stats);
  assert_int_equal(stats.spheres, N * N * N + 1);
  assert_int_equal(stats.triangles, 0);
  rv_view_image_free(&image);
  rv_detail_free(d);
}

//---------------------------------------------------------------------------------------------- wet hair

// brightness of the rows of a curtain over a cylinder, which see every angle of the light: the brightest, and the mean
// of the lower ones
static void rows_of(const char* light, float wet, double* best, double* mean) {
  enum { W = 40, H = 120, MARGIN = 8, LOWER = 72 };
  RvTestCook lamp = rv_test_cook("light", light ? light : "", 0, NULL);
  CHECK_OK(lamp.result, lamp.error);
  // a black card hides the backdrop
  const float card[] = {-3, -3, -0.1f, 3, -3, -0.1f, 3, 3, -0.1f, -3, 3, -0.1f};
  const int32_t quad[] = {0, 1, 2, 3};
  RvDetail* d[] = {curtain(wet), faces(4, card, 1, quad, NULL, 0), lamp.output[0]};
  RvCamera camera = camera_at(12, 10);
  RvViewOptions o = plain_options(W, H, 64, RV_VIEW_BEAUTY);
  RvImage image = render(d, light ? 3 : 2, &camera, &o, NULL);
  *best = 0;
  *mean = 0;
  for (int y = MARGIN; y < H - MARGIN; ++y) {
    double row = 0;
    for (int x = MARGIN; x < W - MARGIN; ++x) row += image.rgb[3 * (y * W + x)] / (W - 2 * MARGIN);
    *best = fmax(*best, row);
    if (y >= LOWER) *mean += row / (H - MARGIN - LOWER);
  }
  rv_view_image_free(&image);
  rv_detail_free(d[0]);
  rv_detail_free(d[1]);
  rv_test_cook_free(&lamp);
}

// wet, the highlight's row is brighter and the other rows darker: by a small lamp, in the flipbook's own studio, and
// under the studio dome
static void wet_hair_is_darker_and_shines(void** state) {
  (void)state;
  const char* const lights[] = {"lighttype=distant; t=0 1 2; angle=6; intensity=5", NULL, "lighttype=dome"};
  for (int i = 0; i < 3; ++i) {
    double best[2], mean[2];
    for (int wet = 0; wet < 2; ++wet) rows_of(lights[i], (float)wet, &best[wet], &mean[wet]);
    // 1.5, 1.08 and 1.17 with these lamps: the larger the lamp, the less a narrow highlight gains
    assert_true(best[1] > 1.03 * best[0]);
    assert_true(mean[1] < 0.8 * mean[0]);
  }
}

// mean brightness of a large grey card under a lamp that stands in its mirror direction, or beside it
static double card_of(float wet, float beads, double lamp_x) {
  enum { W = 48, H = 48 };
  RvError error = {0};
  char text[96];
  snprintf(text, sizeof text, "lighttype=distant; t=%g 0 1; angle=3; intensity=2", lamp_x);
  RvTestCook lamp = rv_test_cook("light", text, 0, NULL);
  CHECK_OK(lamp.result, lamp.error);
  const float corners[] = {-2, -2, 0, 2, -2, 0, 2, 2, 0, -2, 2, 0};
  const int32_t quad[] = {0, 1, 2, 3};
  RvDetail* d[] = {faces(4, corners, 1, quad, NULL, 0.4f), lamp.output[0]};
  *rv_detail_f32_write(d[0], RV_GLOBAL, "wetness", 1, &error) = wet;
  *rv_detail_f32_write(d[0], RV_GLOBAL, "beads", 1, &error) = beads;
  *rv_detail_f32_write(d[0], RV_GLOBAL, "beadradius", 1, &error) = 0.08f;
  RvCamera camera = camera_at(12, 10);
  camera.eye[0] = -6;
  RvViewOptions o = plain_options(W, H, 16, RV_VIEW_BEAUTY);
  RvImage image = render(d, 2, &camera, &o, NULL);
  double mean = 0;
  for (int i = 0; i < W * H; ++i) mean += image.rgb[3 * i] / (W * H);
  rv_view_image_free(&image);
  rv_detail_free(d[0]);
  rv_test_cook_free(&lamp);
  return mean;
}

// wet skin and solids: the highlight is brighter, elsewhere the surface is darker by the share that a film keeps
// inside, (1 - Re)(1 - Ri) / (1 - Ri a) with Re = 0.066 and Ri = 0.49 (Lekner and Dorf 1988)
static void wet_skin_is_darker_and_glossier(void** state) {
  (void)state;
  const double mirrored = 0.5, beside = -1;  // of the lamp, for an eye at x / z = -1 / 2
  assert_true(card_of(1, 0, mirrored) > 1.5 * card_of(0, 0, mirrored));
  double expected = (1 - 0.066) * (1 - 0.49) / (1 - 0.49 * 0.4);
  // the dry highlight, 2% of the light there, and the film's less than 1% are beside the law
  CHECK_NEAR(card_of(1, 0, beside) / card_of(0, 0, beside), expected, 0.03);
}

// beads: the share of the cells that have one grows with the parameter, normals are unit, lean at most by the contact
// angle and point away from the middle of the bead; a rotation of surface and place alike gives the same beads
static void beads_are_caps(void** state) {
  (void)state;
  const double shares[] = {0.2, 0.8};
  double covered[2] = {0, 0};
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < 20000; ++i) {
      RvVec3 p = rv_vec3(0.01 * fmod(0.7548776662 * i, 1) * 40, 0.01 * fmod(0.5698402910 * i, 1) * 40, 0),
             n = {0, 0, 1};
      RvVec3 bent;
      if (!rv_view_bead(p, n, shares[k], 0.01, &bent)) continue;
      covered[k] += 1 / 20000.0;
      CHECK_NEAR(rv_length(bent), 1, 1e-9);
      assert_true(bent.z > 0.6);
      // a little farther along the lean there is the same bead, steeper, or its edge
      RvVec3 on = rv_mad(p, 1e-4, rv_vec3(bent.x, bent.y, 0)), more;
      if (rv_view_bead(on, n, shares[k], 0.01, &more) && rv_dot(more, bent) > 0.99) assert_true(more.z <= bent.z);
    }
  assert_true(covered[0] > 0.02 && covered[1] > 2.5 * covered[0] && covered[1] < 0.7);
}

//---------------------------------------------------------------------------------------------- motion and lens

// the columns that anything covers, and their sum over the middle row
static double reach_of(const RvImage* image, double* sum) {
  int first = image->width, last = -1;
  *sum = 0;
  for (int x = 0; x < image->width; ++x) {
    float c = image->rgb[3 * (image->height / 2 * image->width + x)];
    if (c > 0) {
      first = first < x ? first : x;
      last = x;
    }
    *sum += c;
  }
  return last - first + 1;
}

// what moves by v is smeared over v times the shutter's time, about where it is, and covers as much in sum
static void motion_smears(void** state) {
  (void)state;
  enum { W = 200, H = 11 };
  RvError error = {0};
  double scale = W / 2.0 / (20 * tan(1.0 * M_PI / 360) * W / H), speed = 12, shutter = 0.02;
  for (int kind = 0; kind < 3; ++kind) {
    RvDetail* d = NULL;
    double half = 0.3;
    if (kind == 0) {
      d = rv_detail_new();
      CHECK_OK(rv_detail_add_points(d, 1, NULL, &error), error);
      *rv_detail_f32_write(d, RV_POINT, "pscale", 1, &error) = (float)half;
    } else if (kind == 1) {
      d = slab(half, 0.01, 0, NULL);
    } else {
      d = rv_detail_new();
      CHECK_OK(rv_detail_add_curves(d, 1, 2, NULL, NULL, &error), error);
      float* p = rv_detail_f32_write(d, RV_POINT, "P", 3, &error);
      p[1] = -1;
      p[4] = 1;
      *rv_detail_f32_write(d, RV_GLOBAL, "width", 1, &error) = (float)(2 * half);
    }
    float* v = rv_detail_f32_write(d, RV_POINT, "v", 3, &error);
    for (size_t i = 0; i < rv_detail_count(d, RV_POINT); ++i) v[3 * i] = (float)speed;
    RvCamera camera = camera_at(20, 1.0);
    RvViewOptions o = plain_options(W, H, 256, RV_VIEW_COVERAGE);
    double still, moved, wide, smeared;
    RvImage image = render(&d, 1, &camera, &o, NULL);
    wide = reach_of(&image, &still);
    rv_view_image_free(&image);
    o.shutter = shutter;
    image = render(&d, 1, &camera, &o, NULL);
    smeared = reach_of(&image, &moved);
    rv_view_image_free(&image);
    // the filter is two pixels wide
    CHECK_NEAR(wide, 2 * half * scale, 3);
    CHECK_NEAR(smeared, (2 * half + speed * shutter) * scale, 3);
    CHECK_NEAR(moved / still, 1, 0.02);
    rv_detail_free(d);
  }
}

// a point out of focus becomes a disc: aperture times its distance from the plane in focus over that of the plane
static void lenses_blur(void** state) {
  (void)state;
  enum { W = 200, H = 11 };
  RvError error = {0};
  RvDetail* d = rv_detail_new();
  CHECK_OK(rv_detail_add_points(d, 1, NULL, &error), error);
  *rv_detail_f32_write(d, RV_POINT, "pscale", 1, &error) = 0.1f;
  RvCamera camera = camera_at(20, 1.0);
  double scale = W / 2.0 / (20 * tan(1.0 * M_PI / 360) * W / H), sum;
  RvViewOptions o = plain_options(W, H, 512, RV_VIEW_COVERAGE);
  o.aperture = 1;
  RvImage image = render(&d, 1, &camera, &o, NULL);
  CHECK_NEAR(reach_of(&image, &sum), 0.2 * scale, 3);
  rv_view_image_free(&image);
  o.focus = 16;
  image = render(&d, 1, &camera, &o, NULL);
  // at the target's distance the disc is aperture x 4 / 16 wide; a few pixels of its thin edge may get no sample
  CHECK_NEAR(reach_of(&image, &sum), (0.2 + 0.25) * scale, 4);
  rv_view_image_free(&image);
  rv_detail_free(d);
}

// the surface of liquid, motion, a lens and tiles that end early: still the same bits
static void same_bits_with_everything(void** state) {
  (void)state;
  RvDetail* d[] = {block(7, 2), curtain(0.6f), slab(0.5, 0.1, 0.3, "water")};
  RvCamera camera = camera_at(5, 40);
  RvViewOptions o = rv_view_options(RV_VIEW_NORMAL, 97, 65);
  o.shutter = 0.02;
  o.aperture = 0.05;
  size_t bytes = (size_t)97 * 65 * 3 * sizeof(float);
  RvImage first = {0};
  const int workers[] = {1, 4, 2};
  for (int i = 0; i < 3; ++i) {
    rv_threads_set(workers[i]);
    RvImage image = render(d, 3, &camera, &o, NULL);
    if (i == 0)
      first = image;
    else
      assert_memory_equal(image.rgb, first.rgb, bytes);
    if (i) rv_view_image_free(&image);
  }
  rv_threads_set(0);
  rv_view_image_free(&first);
  for (int i = 0; i < 3; ++i) rv_detail_free(d[i]);
}

RV_TESTS(cmocka_unit_test(fibres_conserve_energy), cmocka_unit_test(fibres_are_sampled_by_their_density),
         cmocka_unit_test(piles_have_their_colour), cmocka_unit_test(white_furnace),
         cmocka_unit_test(white_hair_returns_all_light), cmocka_unit_test(slabs_bend_light),
         cmocka_unit_test(beers_law), cmocka_unit_test(points_become_a_surface),
         cmocka_unit_test(wet_hair_is_darker_and_shines), cmocka_unit_test(wet_skin_is_darker_and_glossier),
         cmocka_unit_test(beads_are_caps), cmocka_unit_test(motion_smears), cmocka_unit_test(lenses_blur),
         cmocka_unit_test(same_bits_with_everything))
