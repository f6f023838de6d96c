// Our .vtp files in ParaView. Skipped where there is no pvpython (Debian: paraview, python3-paraview).
#include "support/geo_samples.h"

static void paraview_agrees(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* sample[3] = {sample_strands(), sample_points(), sample_mixed()};
  static const char* const name[3] = {"strands", "points", "mixed"};
  static const size_t cells[3][3] = {{0, 20, 0}, {500, 0, 0}, {3, 1, 4}};
  rv_detail_remove_attrib(sample[2], RV_POINT, "odd <name> & \"quotes\"");
  char text[1024];
  for (int i = 0; i < 3; ++i) {
    snprintf(text, sizeof text, "%s/%s.vtp", rv_test_folder(), name[i]);
    CHECK_OK(rv_detail_save(sample[i], text, NULL, &error), error);
    sample_manifest(rv_test_folder(), name[i], sample[i], cells[i][0], cells[i][1], cells[i][2]);
    rv_detail_free(sample[i]);
  }
  snprintf(text, sizeof text,
           "pvpython " RV_SOURCE_DIR "/tests/host/check_paraview.py %s strands points mixed > %s/out.txt 2>&1",
           rv_test_folder(), rv_test_folder());
  int status = sample_run(text);
  snprintf(text, sizeof text, "cat %s/out.txt", rv_test_folder());
  sample_run(text);
  assert_int_equal(status, 0);
  // a traceback does not always reach the exit status
  snprintf(text, sizeof text, "grep -q 'ParaView agrees' %s/out.txt", rv_test_folder());
  assert_int_equal(sample_run(text), 0);
}

int main(void) {
  if (sample_run("command -v pvpython > /dev/null") != 0) {
    puts("skipped: there is no pvpython");
    return 77;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(paraview_agrees)};
  return rv_test_run(tests, 1);
}
