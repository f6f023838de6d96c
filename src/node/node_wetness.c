// Wetness: liquid on and in strands as colour, roughness, width and clumping for a hair shader.
#include <math.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "math/scalar.h"
#include "node/shape/select.h"
#include "node/transfer/wetness.h"
#include "parm/table.h"

#define WETNESS_PARMS(X)                                                                                             \
  X(STRING, group, "Group", "", "Strands or points that change; all if empty. The others stay.")                     \
  X(MENU, driver, "Driver", 0, "film=Film and Absorbed Liquid|wetness=Wetness",                                      \
    "What tells how wet a point is: filmheight and absorbed as they are, or the attribute wetness, which follows "   \
    "them over the solver's wettime.")                                                                               \
  X(FLOAT, filmfull, "Full Film", 5e-5, HARD(1e-9), SOFT(5e-4), "m", "Height of film at the right end of its ramp.", \
    WHEN("{ driver == wetness }"))                                                                                   \
  X(RAMP, filmramp, "Film Ramp", "0 0 smooth, 1 1 smooth", "How much film shows, 0 to 1, by its height.")            \
  X(RAMP, absorbedramp, "Absorbed Ramp", "0 0 smooth, 1 1 smooth",                                                   \
    "How much of what a fibre has taken in shows, 0 to 1, by how full it is.")                                       \
  X(FOLDER, "Color")                                                                                                 \
  X(STRING, colorattrib, "Color Attribute", "Cd", "Multiplied; empty: none.")                                        \
  X(COLOR, wetcolor, "Wet Color", 0.4, 0.36, 0.33, "What the color of fully wet hair is multiplied by.")             \
  X(RAMP, colorramp, "Color Ramp", "0 0 linear, 1 1 linear",                                                         \
    "From no change to the wet color, by film and absorbed "                                                         \
    "liquid together.")                                                                                              \
  X(COLOR, basecolor, "Base Color", 1, 1, 1,                                                                         \
    "Color of dry strands that have none. White makes the attribute a multiplier for the shader.")                   \
  X(FLOAT, clumpvary, "Clump Variation", 0, HARD(0), HARD(1), "",                                                    \
    "Wet clumps are darker by up to this share, each by its number. Changes at once where a clump's number does.")   \
  X(INT, seed, "Seed", 0, SOFT(0), SOFT(100), "", "Of the variation.", WHEN("{ clumpvary == 0 }"))                   \
  X(FOLDER, "Roughness and Width")                                                                                   \
  X(STRING, roughnessattrib, "Roughness Attribute", "roughness", "Multiplied; empty: none.")                         \
  X(RAMP, roughnessramp, "Roughness Ramp", "0 1 smooth, 1 0.4 smooth", "What it is multiplied by, by film.")         \
  X(FLOAT, baseroughness, "Base Roughness", 1, HARD(0), SOFT(1), "",                                                 \
    "Roughness of dry strands that have none. 1 makes the attribute a multiplier for the shader.")                   \
  X(STRING, widthattrib, "Width Attribute", "width",                                                                 \
    "Multiplied; where it is missing, twice hairradius; empty: none.")                                               \
  X(RAMP, widthramp, "Width Ramp", "0 1 linear, 1 1.15 linear",                                                      \
    "What it is multiplied by, by absorbed liquid: a soaked fibre swells.")                                          \
  X(FOLDER, "Clump")                                                                                                 \
  X(STRING, clumpattrib, "Clump Attribute", "clump", "Brought towards 1, from 0 where it is missing; empty: none.")  \
  X(RAMP, clumpramp, "Clump Ramp", "0 0 smooth, 1 1 smooth", "How far, by film.")                                    \
  X(RAMP, clumpsizeramp, "Clump Size Ramp", "0 1 linear, 1 1 linear",                                                \
    "And by the strands in the clump: 0 is one, 0.5 two, 0.9 ten. Steps where clumps join, unless it is flat.")      \
  X(STRING, clumpidattrib, "Clump ID", "clumpid", "Integer point attribute with the clump's number.")                \
  X(FOLDER, "Primitives")                                                                                            \
  X(TOGGLE, promote, "Wetness on Strands", false, "The mean over each strand as a primitive attribute wetness.")
RV_PARM_TABLE(WetnessParms, wetness_table, WETNESS_PARMS)

enum { BY_FILM, BY_WETNESS, GRAIN = 4096 };

typedef struct Wetness {
  RvCook* cook;
  const WetnessParms* p;
  RvDetail* out;
  size_t npoint;
  uint8_t* mask;
  const RvAttrib *filmheight, *absorbed, *wetness, *clumpid;
  int32_t* strands;             // [npoint] in the point's clump, or NULL
  double *film, *soaked, *wet;  // [npoint] 0 to 1
  double* amount;               // [npoint][3]
} Wetness;

//---------------------------------------------------------------------------------------------- how wet

static const RvAttrib* numeric(const RvDetail* d, const char* name) {
  const RvAttrib* a = rv_detail_find(d, RV_POINT, name);
  return a && rv_attrib_storage(a) != RV_STRING ? a : NULL;
}

// what is no number, or less than nothing, is dry
static double dry_if_bad(const RvAttrib* a, size_t point) {
  double x = a ? rv_attrib_get(a, point, 0) : 0;
  return isfinite(x) && x > 0 ? x : 0;
}

static double unit(const RvRamp* ramp, double at) {
  return rv_clamp(rv_ramp_eval(ramp, at), 0, 1);
}

static void wet_range(void* arg, size_t begin, size_t end) {
  const Wetness* w = arg;
  const WetnessParms* p = w->p;
  for (size_t i = begin; i < end; ++i) {
    double x = w->wetness ? fmin(dry_if_bad(w->wetness, i), 1) : 0;
    double film = w->wetness ? x : fmin(dry_if_bad(w->filmheight, i) / p->filmfull, 1);
    double soaked = w->wetness ? x : fmin(dry_if_bad(w->absorbed, i), 1);
    w->film[i] = unit(&p->filmramp, film);
    w->soaked[i] = unit(&p->absorbedramp, soaked);
    // either makes hair wet, both together no more than that
    w->wet[i] = w->wetness ? x : 1 - (1 - w->film[i]) * (1 - w->soaked[i]);
  }
}

static void tell_bad(const Wetness* w, const RvAttrib* a) {
  size_t bad = 0, first = 0;
  for (size_t i = 0; a && i < w->npoint; ++i) {
    double x = rv_attrib_get(a, i, 0);
    if (!(isfinite(x) && x >= 0) && !bad++) first = i;
  }
  if (bad)
    rv_cook_warn(w->cook, "%zu points whose %s is negative or not a number count as dry; the first is %zu", bad,
                 rv_attrib_name(a), first);
}

static void choose_driver(Wetness* w) {
  const RvAttrib* wetness = numeric(w->out, "wetness");
  w->filmheight = numeric(w->out, "filmheight");
  w->absorbed = numeric(w->out, "absorbed");
  w->clumpid = numeric(w->out, w->p->clumpidattrib);
  bool film = w->filmheight || w->absorbed;
  if (w->p->driver == BY_WETNESS ? wetness != NULL : !film) w->wetness = wetness;
  // a solver's start has none yet, so it is no fault
  if (!w->wetness && !film)
    rv_cook_info(w->cook, "the strands have no filmheight, absorbed or wetness and count as dry");
  else if (w->p->driver == BY_WETNESS && !w->wetness)
    rv_cook_info(w->cook, "the strands have no wetness: filmheight and absorbed are taken");
  else if (w->p->driver == BY_FILM && w->wetness)
    rv_cook_info(w->cook, "the strands have no filmheight or absorbed: wetness is taken");
  if (w->wetness)
    tell_bad(w, w->wetness);
  else {
    tell_bad(w, w->filmheight);
    tell_bad(w, w->absorbed);
  }
}

static bool is_flat(const RvRamp* ramp) {
  for (int i = 1; i < ramp->count; ++i)
    if (ramp->keys[i].value != ramp->keys[0].value) return false;
  return true;
}

static RvResult find_wetness(Wetness* w, RvError* error) {
  RvResult result = rv_select_points(w->out, w->p->group, RV_SELECT_GUESS, &w->mask, error);
  if (result) return result;
  choose_driver(w);
  w->film = rv_alloc(w->npoint, sizeof *w->film);
  w->soaked = rv_alloc(w->npoint, sizeof *w->soaked);
  w->wet = rv_alloc(w->npoint, sizeof *w->wet);
  w->amount = rv_alloc(w->npoint, 3 * sizeof *w->amount);
  if (!w->film || !w->soaked || !w->wet || !w->amount)
    return rv_fail(error, RV_NO_MEMORY, "no memory for the wetness of %zu points", w->npoint);
  rv_parallel_for(w->npoint, GRAIN, wet_range, w);
  RvError clumps = {0};
  if (!is_flat(&w->p->clumpsizeramp)) w->strands = rv_wet_clump_sizes(w->out, w->p->clumpidattrib, &clumps);
  return clumps.code ? rv_fail(error, clumps.code, "%s", clumps.text) : RV_OK;
}

//---------------------------------------------------------------------------------------------- what it does

static void color_range(void* arg, size_t begin, size_t end) {
  const Wetness* w = arg;
  for (size_t i = begin; i < end; ++i) {
    double* to = w->amount + 3 * i;
    bool in = !w->mask || w->mask[i];
    double share = in ? rv_clamp(rv_ramp_eval(&w->p->colorramp, w->wet[i]), 0, 1) : 0, vary = 1;
    if (in && w->p->clumpvary > 0 && w->clumpid) {
      uint64_t id = (uint64_t)(int64_t)rv_clamp(rv_attrib_get(w->clumpid, i, 0), -0x1p53, 0x1p53);
      vary = 1 - w->p->clumpvary * w->wet[i] * rv_random((uint64_t)w->p->seed, 60, id, 0);
    }
    // written so that no share leaves exactly 1
    for (int c = 0; c < 3; ++c) to[c] = (1 - share * (1 - w->p->wetcolor[c])) * vary;
  }
}

static void roughness_range(void* arg, size_t begin, size_t end) {
  const Wetness* w = arg;
  for (size_t i = begin; i < end; ++i)
    w->amount[i] = w->mask && !w->mask[i] ? 1 : fmax(rv_ramp_eval(&w->p->roughnessramp, w->film[i]), 0);
}

static void width_range(void* arg, size_t begin, size_t end) {
  const Wetness* w = arg;
  for (size_t i = begin; i < end; ++i)
    w->amount[i] = w->mask && !w->mask[i] ? 1 : fmax(rv_ramp_eval(&w->p->widthramp, w->soaked[i]), 0);
}

static void clump_range(void* arg, size_t begin, size_t end) {
  const Wetness* w = arg;
  double flat = unit(&w->p->clumpsizeramp, 0);
  for (size_t i = begin; i < end; ++i) {
    double size = w->strands ? unit(&w->p->clumpsizeramp, 1 - 1.0 / w->strands[i]) : flat;
    w->amount[i] = w->mask && !w->mask[i] ? 0 : size * unit(&w->p->clumpramp, w->film[i]);
  }
}

static RvResult change(Wetness* w, RvRangeFn* amounts, RvWetChange c, RvError* error) {
  if (!*c.name) return RV_OK;
  rv_parallel_for(w->npoint, GRAIN, amounts, w);
  c.amount = w->amount;
  return rv_wet_change(w->cook, w->out, &c, error);
}

// strands that have no wetness get it; the solver's own stays
static RvResult write_wetness(Wetness* w, RvError* error) {
  if (!rv_detail_find(w->out, RV_POINT, "wetness")) {
    float* to = rv_detail_f32_write(w->out, RV_POINT, "wetness", 1, error);
    if (!to) return RV_NO_MEMORY;
    for (size_t i = 0; i < w->npoint; ++i) to[i] = w->mask && !w->mask[i] ? 0 : (float)w->wet[i];
  }
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
  return result ? result : write_wetness(w, error);
}

static RvResult cook(RvCook* cook, RvError* error) {
  if (!cook->ninput || !cook->input[0]) return rv_fail(error, RV_BAD_INPUT, "input 1, the strands, is not wired");
  Wetness w = {.cook = cook, .p = cook->parms, .out = rv_detail_copy(cook->input[0])};
  RvResult result = w.out ? RV_OK : rv_fail(error, RV_NO_MEMORY, "no memory for the strands");
  if (!result) w.npoint = rv_detail_count(w.out, RV_POINT);
  if (!result) result = remap(&w, error);
  if (!result) {
    cook->output[0] = w.out;
    w.out = NULL;
  }
  rv_detail_free(w.out);
  rv_free(w.mask);
  rv_free(w.strands);
  rv_free(w.film);
  rv_free(w.soaked);
  rv_free(w.wet);
  rv_free(w.amount);
  return result;
}

static const RvPortDef inputs[] = {{"strands", "Strands", "Of a wet solver or of transfer.", true}};
static const RvPortDef outputs[] = {{"strands", "Strands", "The same, with a wet look.", false}};

const RvNodeType rv_node_wetness = {
    .type = "wetness",
    .label = "Wetness",
    .category = "Hair",
    .summary = "Turns liquid on and in strands into colour, roughness, width and clumping for a hair shader.",
    .help =
        "Every frame stands for itself: a point's look is a function of its own film, absorbed liquid and clump, so it "
        "changes as smoothly as they do. Film makes hair darker and glossier and draws it together; what the fibre has "
        "taken in makes it darker and thicker, and stays when the film is gone: towelled hair is dark but dull.\n\n"
        "Ramps begin at dry. As they stand dry hair is not changed by a bit. A ramp that does not begin at 1 (0 for "
        "color, film, absorbed and clump) changes dry hair too, and keys with constant interpolation make looks "
        "jump.\n\n"
        "Cd, roughness and width are multiplied, whether they are of points, vertices, primitives or the whole; what "
        "is "
        "missing is made. clump goes from what it is towards 1: a mask for clumping or its blend. wetness is made "
        "where "
        "it is missing. All else passes through.\n\n"
        "Strands without any of filmheight, absorbed and wetness are dry, which is told. Liquid that is negative or "
        "not a "
        "number counts as none, with a warning.",
    .inputs = inputs,
    .ninput = 1,
    .outputs = outputs,
    .noutput = 1,
    .parms = &wetness_table,
    .cook = cook,
};
