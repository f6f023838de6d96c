// Light in pictures against what optics say: energy, Snell, Beer, wet hair, motion, lenses.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/vec.h"
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

// the sum over all directions of what a fibre sends on is at most 1, and for white hair not much less
static void fibres_make_no_light(void** state) {
  (void)state;
  const double grey[] = {1, 0.5, 0.05}, wetness[] = {0, 0.5, 1};
  for (int c = 0; c < 3; ++c)
    for (int w = 0; w < 3; ++w)
      for (int a = 0; a < 8; ++a) {
        double tilt = (a - 3.5) * 0.38;
        RvSurface s = {.kind = RV_PART_HAIR, .wet = wetness[w], .core = 1};
        s.tangent = rv_vec3(1, 0, 0);
        s.view = rv_vec3(sin(tilt), 0, cos(tilt));
        s.normal = rv_vec3(0, 0, 1);
        s.color = s.multiple_color = rv_vec3(grey[c], grey[c], grey[c]);
        enum { N = 300 };
        double sum = 0;
        // even in the sine along the fibre and in the angle around it: every cell has the same solid angle
        for (int i = 0; i < N; ++i)
          for (int k = 0; k < N; ++k) {
            double x = -1 + 2 * (i + 0.5) / N, phi = 2 * M_PI * (k + 0.5) / N, r = sqrt(1 - x * x);
            RvResponse f = rv_view_surface_response(&s, rv_vec3(x, r * cos(phi), r * sin(phi)));
            assert_true(f.direct.x >= 0 && f.scattered.x >= 0);
            sum += (f.direct.x + f.scattered.x) * 4 * M_PI / N / N;
          }
        assert_true(sum <= 1);
        // a white fibre seen from aside takes little for itself, a dark one most
        if (c == 0 && fabs(tilt) < 0.6) assert_true(sum > 0.7);
        if (c == 2 && fabs(tilt) < 0.6) assert_true(sum < 0.45);
      }
}

// light of 1 from everywhere: water that absorbs nothing is not seen at all, hair is never brighter than it
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
  RvError error = {0};
  for (int w = 0; w < 2; ++w) {
    RvDetail* hair = curtain((float)w);
    float* c = rv_detail_f32_write(hair, RV_GLOBAL, "Cd", 3, &error);
    c[0] = c[1] = c[2] = 1;
    RvViewOptions o = plain_options(60, 40, 32, RV_VIEW_BEAUTY);
    o.furnace = true;
    RvImage image = render(&hair, 1, &camera, &o, NULL);
    for (int k = 0; k < 60 * 40 * 3; ++k) assert_true(image.rgb[k] <= 1.0001f);
    assert_true(image.rgb[3 * (20 * 60 + 30)] < 0.9f);
    rv_view_image_free(&image);
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

// rows of a curtain over a cylinder see every angle: wet, the highlight's row is brighter and the other rows darker
static void wet_hair_is_darker_and_shines(void** state) {
  (void)state;
  enum { W = 40, H = 120 };
  double best[2] = {0, 0}, dim[2] = {0, 0};
  for (int wet = 0; wet < 2; ++wet) {
    RvDetail* d = curtain((float)wet);
    RvCamera camera = camera_at(12, 10);
    RvViewOptions o = plain_options(W, H, 128, RV_VIEW_BEAUTY);
    RvImage image = render(&d, 1, &camera, &o, NULL);
    double rows[H] = {0};
    int low = H;
    for (int y = 8; y < H - 8; ++y) {
      for (int x = 8; x < W - 8; ++x) rows[y] += image.rgb[3 * (y * W + x)] / (W - 16);
      best[wet] = fmax(best[wet], rows[y]);
      if (low == H || rows[y] < rows[low]) low = y;
    }
    dim[wet] = rows[low];
    rv_view_image_free(&image);
    rv_detail_free(d);
  }
  assert_true(best[1] > 1.2 * best[0]);
  assert_true(dim[1] < 0.7 * dim[0]);
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

RV_TESTS(cmocka_unit_test(fibres_make_no_light), cmocka_unit_test(white_furnace), cmocka_unit_test(slabs_bend_light),
         cmocka_unit_test(beers_law), cmocka_unit_test(points_become_a_surface),
         cmocka_unit_test(wet_hair_is_darker_and_shines), cmocka_unit_test(motion_smears),
         cmocka_unit_test(lenses_blur), cmocka_unit_test(same_bits_with_everything))
