// Cooks one node without a scene, so that a test of a node sees the node alone.
//
//   RvTestCook c = rv_test_cook("groom", "count=100; style=curly", 1, (const RvDetail*[]){skin});
//   CHECK_OK(c.result, c.error);  ...  rv_test_cook_free(&c);
#ifndef RV_TEST_COOK_H
#define RV_TEST_COOK_H

#include "rivulet/node.h"

typedef struct RvTestCook {
  RvResult result;  // of finding the type, of setting the parameters, or of the cook
  RvError error;
  RvDetail* output[RV_NODE_MAX_OUTPUTS];
  RvStats stats;
  int nwarning;
  char warnings[2048];  // one a line
} RvTestCook;

// `parms` are "token=text" parted by semicolons, as the command line takes them (NULL: defaults). Frame 1 at
// 24 fps.
RvTestCook rv_test_cook(const char* type, const char* parms, size_t ninput, const RvDetail* const* inputs);
// The same at a frame.
RvTestCook rv_test_cook_at(const char* type, const char* parms, size_t ninput, const RvDetail* const* inputs,
                           double frame);
// The same of a row that is in no table; `cache` may be NULL.
RvTestCook rv_test_cook_type(const RvNodeType* type, const char* parms, size_t ninput, const RvDetail* const* inputs,
                             double frame, void** cache);
// What a scene would answer. `input_at` may be NULL: the input stands still.
typedef struct RvTestHost {
  bool no_write;    // as for a sample that another node asked for
  const char* out;  // $OUT; NULL: /tmp
  RvResult (*input_at)(void* user, size_t index, double frame, const RvDetail** out, RvError* error);
  void* user;
} RvTestHost;
RvTestCook rv_test_cook_host(const char* type, const char* parms, size_t ninput, const RvDetail* const* inputs,
                             double frame, const RvTestHost* host);
void rv_test_cook_free(RvTestCook* cook);
// The first output of a node with one input or none (NULL), which must be sound; a failure ends the test.
RvDetail* rv_test_cooked(const char* type, const char* parms, const RvDetail* input);
// Hairs carried by the node transfer, without warnings.
RvDetail* rv_test_carried(const RvDetail* hairs, const RvDetail* rest, const RvDetail* moved, const char* parms);
// The cook must fail with that result and a text that contains `part`.
void rv_test_cook_fails(const char* type, const char* parms, const RvDetail* input, RvResult code, const char* part);

#endif
