// The springs of menisci as an RvOperator: energy k d^2 / 2 of each pair, d across gravity. Their Hessian is constant.
// What a place has with itself lies in the band of its strand; `gather` and `spread` apply the other blocks. Sums go
// place by place in the order of its neighbours, so the bits do not depend on the number of threads.
#include "couple/meniscus_springs.h"

#include "base/parallel.h"
#include "math/vec.h"
#include "strand/band.h"

enum { VERTEX_STRIDE = 4 * RV_LANES };  // numbers from one vertex to the next in a block: x, y, z, angle
enum { TASK_PLACES = 64, TASK_BATCHES = 8 };

// A vector at a place, along both directions.
typedef double Pair __attribute__((vector_size(2 * sizeof(double))));

typedef struct Task {
  RvMeniscusSprings* s;
  const double* in;  // [unknowns]
  double* out;       // [unknowns], or [batches x RV_LANES] for energies
} Task;

void rv_couple_springs_free(RvMeniscusSprings* s) {
  rv_array_free(&s->ends);
  rv_array_free(&s->batch_first);
  rv_array_free(&s->first);
  rv_array_free(&s->neighbour);
  rv_array_free(&s->stiffness);
  rv_array_free(&s->value);
}

bool rv_couple_springs_resize(RvMeniscusSprings* s, size_t places, size_t count) {
  return rv_array_resize(&s->ends, places) && rv_array_resize(&s->first, places + 1) &&
         rv_array_resize(&s->value, 2 * places) && rv_array_resize(&s->neighbour, count) &&
         rv_array_resize(&s->stiffness, count);
}

//---------------------------------------------------------------------------------------------- places

// A vector at a place, along both directions.
static void interpolate(RvMeniscusSprings* s, size_t i, const double* in) {
  const RvMeniscusEnd* e = &s->ends.data[i];
  const double *a = in + e->unknown, *b = a + VERTEX_STRIDE;
  double x[3];
  for (size_t c = 0; c < 3; ++c) x[c] = (1 - e->t) * a[c * RV_LANES] + e->t * b[c * RV_LANES];
  for (int d = 0; d < 2; ++d)
    s->value.data[2 * i + (size_t)d] = s->across[d][0] * x[0] + s->across[d][1] * x[1] + s->across[d][2] * x[2];
}

// Adds a force along both directions to the vertices of a place.
static void distribute(const RvMeniscusSprings* s, size_t i, Pair f, double* out) {
  const RvMeniscusEnd* e = &s->ends.data[i];
  double *a = out + e->unknown, *b = a + VERTEX_STRIDE;
  for (size_t c = 0; c < 3; ++c) {
    double sum = s->across[0][c] * f[0] + s->across[1][c] * f[1];
    a[c * RV_LANES] += (1 - e->t) * sum;
    b[c * RV_LANES] += e->t * sum;
  }
}

static void interpolate_some(void* arg, size_t begin, size_t end) {
  const Task* task = arg;
  for (size_t i = begin; i < end; ++i) interpolate(task->s, i, task->in);
}

static void interpolate_all(Task* task) {
  rv_parallel_for(task->s->ends.count, TASK_PLACES, interpolate_some, task);
}

//---------------------------------------------------------------------------------------------- energy and gradient

static Pair value_at(const RvMeniscusSprings* s, size_t i) {
  return *(const Pair*)(s->value.data + 2 * i);
}

// Sums over the springs of a place are taken in this many chains, as a single one would wait for each addition.
enum { CHAINS = 4 };

static Pair sum_chains(const Pair sum[CHAINS]) {
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// A spring's difference of `own` and the vector at its other end.
static Pair apart(const RvMeniscusSprings* s, uint32_t spring, Pair own) {
  return own - value_at(s, s->neighbour.data[spring]);
}

// Half of the energy of the springs of a place, J.
static double place_energy(const RvMeniscusSprings* s, size_t i) {
  const Pair own = value_at(s, i);
  const uint32_t end = s->first.data[i + 1];
  Pair sum[CHAINS] = {0};
  uint32_t n = s->first.data[i];
  for (; n + CHAINS <= end; n += CHAINS)
    for (uint32_t c = 0; c < CHAINS; ++c) {
      const Pair d = apart(s, n + c, own);
      sum[c] += s->stiffness.data[n + c] * (d * d);
    }
  for (; n < end; ++n) {
    const Pair d = apart(s, n, own);
    sum[0] += s->stiffness.data[n] * (d * d);
  }
  const Pair squares = sum_chains(sum);
  return 0.25 * (squares[0] + squares[1]);
}

// Sum of stiffness times (own - other end) over the springs of a place: minus the force on it.
static Pair sum_springs(const RvMeniscusSprings* s, size_t i, Pair own) {
  const uint32_t end = s->first.data[i + 1];
  Pair sum[CHAINS] = {0};
  uint32_t n = s->first.data[i];
  for (; n + CHAINS <= end; n += CHAINS)
    for (uint32_t c = 0; c < CHAINS; ++c) sum[c] += s->stiffness.data[n + c] * apart(s, n + c, own);
  for (; n < end; ++n) sum[0] += s->stiffness.data[n] * apart(s, n, own);
  return sum_chains(sum);
}

static double sum_energies(void* arg, size_t begin, size_t end) {
  const Task* task = arg;
  const RvMeniscusSprings* s = task->s;
  double sum = 0;
  for (size_t b = begin; b < end; ++b)
    for (size_t i = s->batch_first.data[b]; i < s->batch_first.data[b + 1]; ++i) {
      double own = place_energy(s, i);
      sum += own;
      if (task->out) task->out[s->ends.data[i].lane] += own;
    }
  return sum;
}

static double energy(void* user, const double* q, double* lanes) {
  Task task = {user, q, lanes};
  interpolate_all(&task);
  return rv_parallel_sum(task.s->model->nbatch, TASK_BATCHES, sum_energies, &task);
}

static void add_gradients(void* arg, size_t begin, size_t end) {
  const Task* task = arg;
  const RvMeniscusSprings* s = task->s;
  for (size_t i = s->batch_first.data[begin]; i < s->batch_first.data[end]; ++i) {
    distribute(s, i, sum_springs(s, i, value_at(s, i)), task->out);
  }
}

static void gradient(void* user, const double* q, double* g) {
  Task task = {user, q, g};
  interpolate_all(&task);
  rv_parallel_for(task.s->model->nbatch, TASK_BATCHES, add_gradients, &task);
}

//---------------------------------------------------------------------------------------------- Hessian

static void prepare(void* user, const double* q, const uint8_t* careful) {
  (void)user;
  (void)q;
  (void)careful;
}

static void diagonal(void* user, size_t batch, double* band) {
  const RvMeniscusSprings* s = user;
  const double *a = s->across[0], *b = s->across[1];
  // across gravity, 1 - up up^T
  const RvSym3 unit = {{a[0] * a[0] + b[0] * b[0], a[0] * a[1] + b[0] * b[1], a[1] * a[1] + b[1] * b[1],
                        a[0] * a[2] + b[0] * b[2], a[1] * a[2] + b[1] * b[2], a[2] * a[2] + b[2] * b[2]}};
  for (size_t i = s->batch_first.data[batch]; i < s->batch_first.data[batch + 1]; ++i) {
    const RvMeniscusEnd* e = &s->ends.data[i];
    RvSym3 h;
    for (int n = 0; n < 6; ++n) h.m[n] = e->stiffness * unit.m[n];
    rv_strand_add_to_band(band, e->unknown - s->model->batches[batch].at, e->t, &h);
  }
}

static void gather(void* user, size_t batch, const double* p) {
  RvMeniscusSprings* s = user;
  for (size_t i = s->batch_first.data[batch]; i < s->batch_first.data[batch + 1]; ++i) interpolate(s, i, p);
}

static void spread(void* user, size_t batch, double* out) {
  const RvMeniscusSprings* s = user;
  for (size_t i = s->batch_first.data[batch]; i < s->batch_first.data[batch + 1]; ++i) {
    distribute(s, i, sum_springs(s, i, (Pair){0, 0}), out);
  }
}

static unsigned drawn(void* user, size_t batch) {
  const RvMeniscusSprings* s = user;
  unsigned lanes = 0;
  for (size_t i = s->batch_first.data[batch]; i < s->batch_first.data[batch + 1]; ++i)
    if (s->first.data[i] < s->first.data[i + 1]) lanes |= 1U << s->ends.data[i].lane % RV_LANES;
  return lanes;
}

//---------------------------------------------------------------------------------------------- groups

static void groups(void* user, uint32_t* group) {
  const RvMeniscusSprings* s = user;
  for (size_t i = 0; i < s->ends.count; ++i)
    for (uint32_t n = s->first.data[i]; n < s->first.data[i + 1]; ++n) {
      size_t j = s->neighbour.data[n];
      if (j < i) rv_operator_join(group, s->ends.data[i].lane, s->ends.data[j].lane);
    }
}

//---------------------------------------------------------------------------------------------- operator

bool rv_couple_springs_bind(RvMeniscusSprings* s, const RvStrandModel* model, const double up[3]) {
  if (!rv_array_resize(&s->batch_first, model->nbatch + 1)) return false;
  size_t i = 0;
  for (size_t b = 0; b < model->nbatch; ++b) {
    const RvStrandBatch* batch = &model->batches[b];
    const size_t last = batch->at + (size_t)batch->vertices * VERTEX_STRIDE;
    s->batch_first.data[b] = (uint32_t)i;
    for (; i < s->ends.count && s->ends.data[i].unknown < last; ++i)
      s->ends.data[i].lane = (uint32_t)(b * RV_LANES + s->ends.data[i].unknown % RV_LANES);
  }
  s->batch_first.data[model->nbatch] = (uint32_t)i;
  RvVec3 axis = rv_vec3_load64(up), east = rv_perpendicular(axis);
  rv_vec3_store64(s->across[0], east);
  rv_vec3_store64(s->across[1], rv_cross(axis, east));
  s->model = model;
  s->op = (RvOperator){.user = s,
                       .energy = energy,
                       .gradient = gradient,
                       .prepare = prepare,
                       .diagonal = diagonal,
                       .gather = gather,
                       .spread = spread,
                       .drawn = drawn,
                       .groups = groups};
  return true;
}
