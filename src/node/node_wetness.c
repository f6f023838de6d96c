// Wetness: liquid on and in strands as colour, roughness, width and clumping for a hair shader.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "math/scalar.h"
#include "node/define.h"
#include "node/look.h"
#include "node/shape/select.h"
#include "node/transfer/wetness.h"

#define WETNESS_PARMS(X)                                                                                               \
  X(STRING, group, "Group", "", "Strands or points that change. The others stay as they are. Empty: all.")             \
  X(MENU, driver, "Driver", 0, "film=Film and Absorbed Liquid|wetness=Wetness",                                        \
    "Source of the wetness of a point: the attributes filmheight and absorbed, or the attribute wetness, which "       \
    "follows them with the delay of the solver's wettime.")                                                            \
  X(FLOAT, filmfull, "Full Film", 5e-5, HARD(1e-9), SOFT(5e-4), "m",                                                   \
    "Film height at which hair looks fully wet, the right end of the Film Ramp. 20 to 100 micrometres is sensible.",   \
    HIDE("{ driver == wetness }"))                                                                                     \
  X(RAMP, filmramp, "Film Ramp", "0 0 smooth, 1 1 smooth", "Visible wetness by film, 0 to 1, over film height.")       \
  X(RAMP, absorbedramp, "Absorbed Ramp", "0 0 smooth, 1 1 smooth",                                                     \
    "Visible wetness by absorbed liquid, 0 to 1, over the saturation of the fibre.")                                   \
  X(FOLDER, "Color")                                                                                                   \
  X(STRING, colorattrib, "Color Attribute", "Cd", "Colour attribute that is multiplied. Empty: none.", ADVANCED)       \
  X(COLOR, wetcolor, "Wet Color", 0.4, 0.36, 0.33,                                                                     \
    "Colour that fully wet hair is multiplied by. Darker values look wetter; 0.3 to 0.6 is natural.",                  \
    WHEN("{ colorattrib == \"\" }"))                                                                                   \
  X(RAMP, colorramp, "Color Ramp", "0 0 linear, 1 1 linear",                                                           \
    "Blend from no change to the Wet Color, over film and absorbed liquid together.", WHEN("{ colorattrib == \"\" }")) \
  X(COLOR, basecolor, "Base Color", 0.1, 0.045, 0.02,                                                                  \
    "Colour of dry strands without the attribute: brown hair. White makes it a multiplier for the shader.",            \
    WHEN("{ colorattrib == \"\" }"))                                                                                   \
  X(FLOAT, clumpvary, "Clump Variation", 0, HARD(0), HARD(1), "",                                                      \
    "Largest share by which wet clumps are darker, each by its number. The colour jumps where the number of a clump "  \
    "changes.",                                                                                                        \
    ADVANCED, WHEN("{ colorattrib == \"\" }"))                                                                         \
  X(INT, seed, "Seed", 0, SOFT(0), SOFT(100), "", "Seed of the clump variation.",                                      \
    WHEN("{ clumpvary == 0 } { colorattrib == \"\" }"), ADVANCED)                                                      \
  X(FOLDER, "Roughness and Width")                                                                                     \
  X(STRING, roughnessattrib, "Roughness Attribute", "roughness",                                                       \
    "Roughness attribute that is multiplied. Empty: none.", ADVANCED)                                                  \
  X(RAMP, roughnessramp, "Roughness Ramp", "0 1 smooth, 1 0.4 smooth",                                                 \
    "Factor on the roughness over film. Lower values make wet hair glossier.", WHEN("{ roughnessattrib == \"\" }"))    \
  X(FLOAT, baseroughness, "Base Roughness", 0.3, HARD(0), SOFT(1), "",                                                 \
    "Roughness of dry strands without the attribute: that of natural hair. Lower is glossier.", ADVANCED,              \
    WHEN("{ roughnessattrib == \"\" }"))                                                                               \
  X(STRING, widthattrib, "Width Attribute", "width",                                                                   \
    "Width attribute that is multiplied; if it is missing, twice hairradius is used. Empty: none.", ADVANCED)          \
  X(RAMP, widthramp, "Width Ramp", "0 1 linear, 1 1.15 linear",                                                        \
    "Factor on the width over absorbed liquid, since a soaked fibre swells: by 15 percent with the default ramp.",     \
    WHEN("{ widthattrib == \"\" }"))                                                                                   \
  X(FOLDER, "Clump")                                                                                                   \
  X(STRING, clumpattrib, "Clump Attribute", "clump",                                                                   \
    "Attribute that moves towards 1 as hair gets wet, from 0 if it is missing. Empty: none.", ADVANCED)                \
  X(RAMP, clumpramp, "Clump Ramp", "0 0 smooth, 1 1 smooth", "Share of the way towards 1 over film.",                  \
    WHEN("{ clumpattrib == \"\" }"))                                                                                   \
  X(RAMP, clumpsizeramp, "Clump Size Ramp", "0 1 linear, 1 1 linear",                                                  \
    "Factor on that share over the number of strands in the clump: 0 is one strand, 0.5 two, 0.9 ten. Unless flat, "   \
    "it steps where clumps join.",                                                                                     \
    ADVANCED, WHEN("{ clumpattrib == \"\" }"))                                                                         \
  X(STRING, clumpidattrib, "Clump ID", "clumpid", "Integer point attribute with the number of the clump.", ADVANCED)   \
  X(FOLDER, "Primitives")                                                                                              \
  X(TOGGLE, promote, "Wetness on Strands", false,                                                                      \
    "Adds the mean wetness of each strand as the primitive attribute wetness.", ADVANCED)
RV_PARM_TABLE(WetnessParms, wetness_table, WETNESS_PARMS)

enum { BY_FILM, BY_WETNESS };
enum {
  GRAIN = 4096,      // points a task
  STREAM_CLUMP = 60  // random stream of the clump variation
};

static const double LARGEST_ID = 0x1p53;  // largest integer that a double represents exactly

// State of one cook.
typedef struct Wetness {
  RvCook* cook;
  const WetnessParms* p;
  RvDetail* out;
  size_t npoint;
  uint8_t* mask;  // points that change; NULL: all
  const RvAttrib *filmheight, *absorbed, *wetness, *clumpid;
  int32_t* strands;  // [npoint] strands in the clump of the point, or NULL
  double* film;      // [npoint] visible wetness by film, 0 to 1
  double* soaked;    // [npoint] by absorbed liquid
  double* wet;       // [npoint] by both
  double* amount;    // [npoint][3] of the change being made
} Wetness;

//---------------------------------------------------------------------------------------------- wetness

// A numeric point attribute; NULL if there is none.
static const RvAttrib* numeric(const RvDetail* d, const char* name) {
  const RvAttrib* a = rv_detail_find(d, RV_POINT, name);
  return a && rv_attrib_storage(a) != RV_STRING ? a : NULL;
}

// Value of an attribute; 0 if it is missing, negative or not finite.
static double dry_if_bad(const RvAttrib* a, size_t point) {
  double x = a ? rv_attrib_get(a, point, 0) : 0;
  return isfinite(x) && x > 0 ? x : 0;
}

// Value of a ramp, clamped to 0..1.
static double unit(const RvRamp* ramp, double at) {
  return rv_clamp(rv_ramp_eval(ramp, at), 0, 1);
}

// Visible wetness of a range of points.
static void wet_range(void* arg, size_t begin, size_t end) {
  const Wetness* w = arg;
  const WetnessParms* p = w->p;
  for (size_t i = begin; i < end; ++i) {
    // One attribute drives all, or film and absorbed liquid each drive their own.
    double x = w->wetness ? fmin(dry_if_bad(w->wetness, i), 1) : 0;
    double film = w->wetness ? x : fmin(dry_if_bad(w->filmheight, i) / p->filmfull, 1);
    double soaked = w->wetness ? x : fmin(dry_if_bad(w->absorbed, i), 1);
    w->film[i] = unit(&p->filmramp, film);
    w->soaked[i] = unit(&p->absorbedramp, soaked);
    // Union of both: each makes hair wet, and together they do not exceed 1.
    w->wet[i] = w->wetness ? x : 1 - (1 - w->film[i]) * (1 - w->soaked[i]);
  }
}

// Warns of negative and non-finite values.
static void tell_bad(const Wetness* w, const RvAttrib* a) {
  size_t bad = 0, first = 0;
  for (size_t i = 0; a && i < w->npoint; ++i) {
    double x = rv_attrib_get(a, i, 0);
    if (!(isfinite(x) && x >= 0) && !bad++) first = i;
  }
  if (bad)
    rv_cook_warn(w->cook, "%zu points count as dry, because their %s is negative or not finite; the first is point %zu",
                 bad, rv_attrib_name(a), first);
}

// Chooses the attributes that drive the wetness, and reports what is missing.
static void choose_driver(Wetness* w) {
  const RvAttrib* wetness = numeric(w->out, "wetness");
  w->filmheight = numeric(w->out, "filmheight");
  w->absorbed = numeric(w->out, "absorbed");
  w->clumpid = numeric(w->out, w->p->clumpidattrib);
  bool film = w->filmheight || w->absorbed;
  if (w->p->driver == BY_WETNESS ? wetness != NULL : !film) w->wetness = wetness;
  // The start frame of a solver has none of them, so this is a note and not a warning.
  if (!w->wetness && !film)
    rv_cook_info(w->cook, "the strands have no filmheight, absorbed or wetness and count as dry");
  else if (w->p->driver == BY_WETNESS && !w->wetness)
    rv_cook_info(w->cook, "the strands have no wetness: filmheight and absorbed are used");
  else if (w->p->driver == BY_FILM && w->wetness)
    rv_cook_info(w->cook, "the strands have no filmheight or absorbed: wetness is used");
  if (w->wetness)
    tell_bad(w, w->wetness);
  else {
    tell_bad(w, w->filmheight);
    tell_bad(w, w->absorbed);
  }
}

// True if a ramp is constant.
static bool is_flat(const RvRamp* ramp) {
  for (int i = 1; i < ramp->count; ++i)
    if (ramp->keys[i].value != ramp->keys[0].value) return false;
  return true;
}

// Computes the wetness of all points, and the sizes of clumps if they matter.
static RvResult find_wetness(Wetness* w, RvError* error) {
  RvResult result = rv_select_points(w->out, w->p->group, RV_SELECT_GUESS, &w->mask, error);
  if (result) return result;
  choose_driver(w);
  w->film = rv_alloc(w->npoint, sizeof *w->film);
  w->soaked = rv_alloc(w->npoint, sizeof *w->soaked);
  w->wet = rv_alloc(w->npoint, sizeof *w->wet);
  w->amount = rv_alloc(w->npoint, 3 * sizeof *w->amount);
  if (!w->film || !w->soaked || !w->wet || !w->amount)
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the wetness of %zu points", w->npoint);
  rv_parallel_for(w->npoint, GRAIN, wet_range, w);
  // Sizes of clumps are counted only where the ramp uses them.
  RvError clumps = {0};
  if (!is_flat(&w->p->clumpsizeramp)) w->strands = rv_wet_clump_sizes(w->out, w->p->clumpidattrib, &clumps);
  return clumps.code ? rv_fail(error, clumps.code, "%s", clumps.text) : RV_OK;
}

//---------------------------------------------------------------------------------------------- changes

// Colour factors of a range of points.
static void color_range(void* arg, size_t begin, size_t end) {
  const Wetness* w = arg;
  for (size_t i = begin; i < end; ++i) {
    double* to = w->amount + 3 * i;
    bool in = !w->mask || w->mask[i];
    // How much of the wet colour, and how much darker this clump is than others.
    double share = in ? rv_clamp(rv_ramp_eval(&w->p->colorramp, w->wet[i]), 0, 1) : 0, vary = 1;
    if (in && w->p->clumpvary > 0 && w->clumpid) {
      uint64_t id = (uint64_t)(int64_t)rv_clamp(rv_attrib_get(w->clumpid, i, 0), -LARGEST_ID, LARGEST_ID);
      vary = 1 - w->p->clumpvary * w->wet[i] * rv_random((uint64_t)w->p->seed, STREAM_CLUMP, id, 0);
    }
    // This form gives exactly 1 for a share of 0.
    for (int c = 0; c < 3; ++c) to[c] = (1 - share * (1 - w->p->wetcolor[c])) * vary;
  }
}

// Roughness factors of a range of points.
static void roughness_range(void* arg, size_t begin, size_t end) {
  const Wetness* w = arg;
  for (size_t i = begin; i < end; ++i)
    w->amount[i] = w->mask && !w->mask[i] ? 1 : fmax(rv_ramp_eval(&w->p->roughnessramp, w->film[i]), 0);
}

// Width factors of a range of points.
static void width_range(void* arg, size_t begin, size_t end) {
  const Wetness* w = arg;
  for (size_t i = begin; i < end; ++i)
    w->amount[i] = w->mask && !w->mask[i] ? 1 : fmax(rv_ramp_eval(&w->p->widthramp, w->soaked[i]), 0);
}

// Clump shares of a range of points.
static void clump_range(void* arg, size_t begin, size_t end) {
  const Wetness* w = arg;
  double flat = unit(&w->p->clumpsizeramp, 0);
  for (size_t i = begin; i < end; ++i) {
    // A clump of one strand is at 0 of the ramp, and large ones near 1.
    double size = w->strands ? unit(&w->p->clumpsizeramp, 1 - 1.0 / w->strands[i]) : flat;
    w->amount[i] = w->mask && !w->mask[i] ? 0 : size * unit(&w->p->clumpramp, w->film[i]);
  }
}

// Computes the amounts and changes one attribute.
static RvResult change(Wetness* w, RvRangeFn* amounts, RvWetChange c, RvError* error) {
  if (!*c.name) return RV_OK;
  rv_parallel_for(w->npoint, GRAIN, amounts, w);
  c.amount = w->amount;
  return rv_wet_change(w->cook, w->out, &c, error);
}

// Adds wetness to points that lack it, and its mean to the strands if promote is on.
static RvResult write_wetness(Wetness* w, RvError* error) {
  if (!rv_detail_find(w->out, RV_POINT, "wetness")) {
    float* to = rv_detail_f32_write(w->out, RV_POINT, "wetness", 1, error);
    if (!to) return RV_NO_MEMORY;
    for (size_t i = 0; i < w->npoint; ++i) to[i] = w->mask && !w->mask[i] ? 0 : (float)w->wet[i];
  }
  // The mean of each strand.
  if (!w->p->promote) return RV_OK;
  rv_detail_remove_attrib(w->out, RV_PRIM, "wetness");
  float* prim = rv_detail_f32_write(w->out, RV_PRIM, "wetness", 1, error);
  if (!prim) return RV_NO_MEMORY;
  const int32_t *start = rv_detail_prim_start(w->out), *point = rv_detail_vertex_point(w->out);
  for (size_t i = 0; i < rv_detail_count(w->out, RV_PRIM); ++i) {
    double sum = 0;
    for (int32_t v = start[i]; v < start[i + 1]; ++v) sum += w->wet[point[v]];
    prim[i] = start[i + 1] > start[i] ? (float)(sum / (start[i + 1] - start[i])) : 0;
  }
  return RV_OK;
}

// Tells renderers which attributes include wetness, so that they do not apply it twice. Dry strands stay as they are.
static RvResult mark(Wetness* w, RvError* error) {
  bool any = false;
  for (size_t i = 0; i < w->npoint && !any; ++i) any = w->wet[i] > 0;
  if (!any) return RV_OK;
  int baked =
      (strcmp(w->p->colorattrib, "Cd") == 0 ? 1 : 0) | (strcmp(w->p->roughnessattrib, "roughness") == 0 ? 2 : 0);
  int32_t* to = rv_detail_i32_write(w->out, RV_GLOBAL, RV_LOOK_WET, 1, error);
  if (!to) return RV_NO_MEMORY;
  *to = baked;
  return RV_OK;
}

// The whole cook: wetness, then each attribute.
static RvResult remap(Wetness* w, RvError* error) {
  const WetnessParms* p = w->p;
  RvResult result = find_wetness(w, error);
  if (!result)
    result = change(w, color_range,
                    (RvWetChange){.name = p->colorattrib,
                                  .tag = RV_TAG_COLOR,
                                  .size = 3,
                                  .base = {p->basecolor[0], p->basecolor[1], p->basecolor[2]}},
                    error);
  if (!result)
    result = change(w, roughness_range,
                    (RvWetChange){.name = p->roughnessattrib, .size = 1, .base = {p->baseroughness}}, error);
  if (!result)
    result = change(w, width_range, (RvWetChange){.name = p->widthattrib, .size = 1, .like = "hairradius"}, error);
  if (!result)
    result = change(w, clump_range, (RvWetChange){.name = p->clumpattrib, .size = 1, .op = RV_WET_TOWARDS}, error);
  if (!result) result = mark(w, error);
  return result ? result : write_wetness(w, error);
}

// Changes the attributes of a copy of the strands.
static RvResult cook(RvCook* cook, RvError* error) {
  if (!cook->ninput || !cook->input[0]) return rv_fail(error, RV_BAD_INPUT, "input 1, the strands, is not wired");
  Wetness w = {.cook = cook, .p = cook->parms, .out = rv_detail_copy(cook->input[0])};
  RvResult result = w.out ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the strands");
  if (!result) w.npoint = rv_detail_count(w.out, RV_POINT);
  if (!result) result = remap(&w, error);
  rv_node_give(cook, w.out, result);
  rv_free(w.mask);
  rv_free(w.strands);
  rv_free(w.film);
  rv_free(w.soaked);
  rv_free(w.wet);
  rv_free(w.amount);
  return result;
}

static const RvPortDef inputs[] = {{"strands", "Strands", "Strands of a wet solver or of transfer.", true}};
static const unsigned takes[] = {RV_PORT_CURVES};
static const RvPortDef outputs[] = {{"strands", "Strands", "The same strands with wet shading attributes.", false}};

RV_NODE_TYPE(
    wetness, "Wetness", "Hair",
    "Turns liquid on and in strands into colour, roughness, width and clumping for a hair shader.",
    "The look of a point depends only on its own film, absorbed liquid and clump in this frame, so it "
    "changes as smoothly as they do. Film makes hair darker and glossier and draws it together. Absorbed "
    "liquid makes it darker and thicker, and remains when the film is gone: towelled hair is dark but "
    "dull.\n\n"
    "Ramps begin at dry. With the default ramps dry hair does not change by a bit. A ramp that does not "
    "begin at 1 (0 for color, film, absorbed and clump) also changes dry hair, and keys with constant "
    "interpolation make the look jump.\n\n"
    "Cd, roughness and width are multiplied, whether they are on points, vertices, primitives or the detail; "
    "missing attributes are created. clump moves from its value towards 1, as a mask or blend for clumping. "
    "wetness is created if it is missing. All other attributes pass through. The detail attribute rv_look_wet tells "
    "the flipbook what includes wetness already (1 Cd, 2 roughness, 3 both).\n\n"
    "Strands without filmheight, absorbed and wetness are dry, which a note reports. Liquid that is negative "
    "or not finite counts as none, with a warning.",
    .revision = 1, RV_NODE_INPUTS(inputs), .takes = takes, RV_NODE_OUTPUTS(outputs))
