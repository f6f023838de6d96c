// The sum of two operators.
#include "math/operator.h"

static double energy(void* user, const double* q, double* lanes) {
  const RvOperatorSum* s = user;
  return s->a->energy(s->a->user, q, lanes) + s->b->energy(s->b->user, q, lanes);
}

static void gradient(void* user, const double* q, double* g) {
  const RvOperatorSum* s = user;
  s->a->gradient(s->a->user, q, g);
  s->b->gradient(s->b->user, q, g);
}

static void stays(void* user, const double* q) {
  const RvOperatorSum* s = user;
  if (s->a->stays) s->a->stays(s->a->user, q);
  if (s->b->stays) s->b->stays(s->b->user, q);
}

static void prepare(void* user, const double* q, const uint8_t* careful) {
  const RvOperatorSum* s = user;
  s->a->prepare(s->a->user, q, careful);
  s->b->prepare(s->b->user, q, careful);
}

static void diagonal(void* user, size_t block, double* band) {
  const RvOperatorSum* s = user;
  if (s->a->diagonal) s->a->diagonal(s->a->user, block, band);
  if (s->b->diagonal) s->b->diagonal(s->b->user, block, band);
}

static void gather(void* user, size_t block, const double* p) {
  const RvOperatorSum* s = user;
  if (s->a->gather) s->a->gather(s->a->user, block, p);
  if (s->b->gather) s->b->gather(s->b->user, block, p);
}

static void spread(void* user, size_t block, double* out) {
  const RvOperatorSum* s = user;
  if (s->a->spread) s->a->spread(s->a->user, block, out);
  if (s->b->spread) s->b->spread(s->b->user, block, out);
}

static void block(void* user, size_t k, const double* q, uint8_t careful, double* lanes, double* g, double* band) {
  const RvOperatorSum* s = user;
  if (s->a->block) s->a->block(s->a->user, k, q, careful, lanes, g, band);
  if (s->b->block) s->b->block(s->b->user, k, q, careful, lanes, g, band);
}

static unsigned held(void* user, size_t k) {
  const RvOperatorSum* s = user;
  unsigned lanes = s->a->held ? s->a->held(s->a->user, k) : 0;
  if (s->b->held) lanes |= s->b->held(s->b->user, k);
  return lanes;
}

static unsigned drawn(void* user, size_t k) {
  const RvOperatorSum* s = user;
  unsigned lanes = s->a->drawn ? s->a->drawn(s->a->user, k) : 0;
  if (s->b->drawn) lanes |= s->b->drawn(s->b->user, k);
  return lanes;
}

static void groups(void* user, uint32_t* group) {
  const RvOperatorSum* s = user;
  s->a->groups(s->a->user, group);
  s->b->groups(s->b->user, group);
}

const RvOperator* rv_operator_sum(RvOperatorSum* s, const RvOperator* a, const RvOperator* b) {
  const bool joined = a->gather || b->gather;
  const bool blocks = a->block || b->block;
  s->a = a;
  s->b = b;
  s->op = (RvOperator){.user = s,
                       .energy = energy,
                       .gradient = gradient,
                       .stays = stays,
                       .prepare = prepare,
                       .diagonal = diagonal,
                       .gather = joined ? gather : NULL,
                       .spread = joined ? spread : NULL,
                       .block = blocks ? block : NULL,
                       .held = held,
                       .drawn = drawn,
                       .groups = a->groups && b->groups ? groups : NULL};
  return &s->op;
}
