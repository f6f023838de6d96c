// Check bridge_bits: wet strands on a plane give the same bits for any number of workers, and for a run whose contacts
// were saved, restored in another order and continued.
#include "base/hash.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "check/list.h"
#include "math/scalar.h"
#include "rig/contact.h"

enum { STRANDS = 60, N = 12, STEPS = 24 };  // N: vertices of a strand
#define R 50e-6                             // m: radius of a strand
static const double STEP = 1e-3;            // s
static const double TOLERANCE = 1e-4;       // of Newton
enum { MIN_BRIDGES = 100 };                 // that the check needs at the end

// A loose bundle above the plane, eight strands a row, displaced at random.
static RvVec3 loose(void* user, size_t strand, int vertex) {
  (void)user;
  double a = rv_random(3, 1, strand, 0), b = rv_random(3, 2, strand, 0), c = rv_random(3, 3, strand, 0);
  return rv_vec3(8 * R * ((double)(strand % 8) + a), 2e-4 + 8 * R * ((double)(strand / 8) + b),
                 8e-4 * vertex + 5e-4 * c);
}

// Saves the contacts as a state does, and restores them in reverse order.
static RvResult reload(RvContactRig* rig, RvError* error) {
  size_t nlink = rv_contacts_link_count(rig->contacts), ntouch = rv_contacts_touch_count(rig->contacts);
  RvLinkState* links = rv_alloc(nlink + 1, sizeof *links);
  RvTouchState* touches = rv_alloc(ntouch + 1, sizeof *touches);
  RvResult result = links && touches ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (size_t k = 0; !result && k < nlink; ++k) links[nlink - 1 - k] = rv_contacts_link(rig->contacts, k);
  for (size_t k = 0; !result && k < ntouch; ++k) touches[ntouch - 1 - k] = rv_contacts_touch(rig->contacts, k);
  if (!result) {
    rv_contacts_free(rig->contacts);
    rig->contacts = NULL;
    result = rv_contacts_new(rig->model, &rig->contacts, error);
  }
  if (!result) result = rv_contacts_restore(rig->contacts, links, nlink, touches, ntouch, error);
  rv_free(links);
  rv_free(touches);
  return result;
}

// Runs all steps, with a reload before step `reload_at` (-1: none). Results: hash of the positions, bridges at the end,
// and the sum over the steps of links without force.
static RvResult run(int reload_at, uint64_t* hash, double* bridges, double* idle, RvError* error) {
  // Strands with films of random cross-section, a plane under them.
  RvContactRigDef hair = {STRANDS, N, R, 1300, 3.4e8, 1e5, {0, -9.81, 0}, loose, NULL, NULL};
  RvContactRig rig;
  RvResult result = rv_rig_contact_new(&rig, &hair, error);
  if (result) return result;
  double* area = rv_alloc(rig.model->vertices, sizeof(double));
  for (size_t k = 0; area && k < rig.model->vertices; ++k) area[k] = (2 + 60 * rv_random(3, 7, k / 64, 0)) * R * R;
  RvCollider plane = {.shape = RV_COLLIDER_PLANE, .orientation = {0, 0, 0, 1}, .friction = 0.3, .angle = 0.6};
  const RvContactWet wet = {.tension = 0.072, .angle = RV_PI / 3, .cohesion = 1, .area = area};
  RvContactDef def = rv_contact_defaults();
  def.liquid = &wet;
  def.colliders = &plane;
  def.ncollider = 1;
  RvContactStats stats = {0};
  RvStrandStats solved;
  if (!area) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  // The steps.
  *idle = 0;
  for (int k = 0; k < STEPS && !result; ++k) {
    if (k == reload_at) result = reload(&rig, error);
    if (!result) result = rv_rig_contact_step(&rig, &def, STEP, TOLERANCE, &stats, &solved, error);
    *idle += (double)(rv_contacts_link_count(rig.contacts) - stats.links);
  }
  if (!result) *hash = rv_hash(rig.state->q, rig.model->unknowns * sizeof(double), 0);
  *bridges = (double)stats.bridges;
  rv_free(area);
  rv_rig_contact_free(&rig);
  return result;
}

RvResult rv_check_bridge_bits(const RvCheckOut* out, RvError* error) {
  static const struct {
    const char* name;
    int workers, reload;  // threads; step of the reload
  } cases[] = {{"workers_2", 2, -1}, {"workers_8", 8, -1}, {"put_back", 1, 9}, {"put_back_late", 2, 20}};
  int threads = rv_threads();
  uint64_t first = 0, hash = 0;
  double bridges, idle;
  rv_threads_set(1);
  RvResult result = run(-1, &first, &bridges, &idle, error);
  if (!result) {
    rv_check_emit(out, "bridges_missing", bridges > MIN_BRIDGES ? 0 : MIN_BRIDGES - bridges, 0, 0);
    rv_check_emit(out, "some_without_force", idle > 0, 1, 0);
  }
  for (size_t k = 0; k < sizeof cases / sizeof *cases && !result; ++k) {
    rv_threads_set(cases[k].workers);
    result = run(cases[k].reload, &hash, &bridges, &idle, error);
    if (!result) rv_check_emit(out, cases[k].name, hash == first, 1, 0);
  }
  rv_threads_set(threads);
  return result;
}
