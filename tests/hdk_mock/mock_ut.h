// Mock of the HDK, part 1: small types, ramps, the interrupt, the time line. Own code, written from public
// documentation: it declares what the glue in plugin/ touches and nothing else, and is not Houdini.
#ifndef RV_HDK_MOCK_UT_H
#define RV_HDK_MOCK_UT_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

typedef int32_t int32;
typedef int64_t int64;
typedef int64_t exint;
typedef float fpreal32;
typedef double fpreal64;
typedef double fpreal;

#define SYS_VISIBILITY_EXPORT __attribute__((visibility("default")))

class UT_StringHolder {
 public:
  UT_StringHolder() = default;
  UT_StringHolder(const char* text) : text_(text ? text : "") {}
  UT_StringHolder(const std::string& text) : text_(text) {}
  const char* c_str() const { return text_.c_str(); }
  operator const char*() const { return c_str(); }
  bool isstring() const { return !text_.empty(); }

 private:
  std::string text_;
};
typedef UT_StringHolder UT_StringRef;

template <typename T>
using UT_SharedPtr = std::shared_ptr<T>;

template <typename T, int N>
struct MockVector {
  T v[N] = {};
  T operator()(int i) const { return v[i]; }
  T& operator()(int i) { return v[i]; }
};
typedef MockVector<double, 2> UT_Vector2D;
typedef MockVector<double, 3> UT_Vector3D;
typedef MockVector<double, 4> UT_Vector4D;

//---------------------------------------------------------------------------------------------- ramps

enum UT_SPLINE_BASIS { UT_SPLINE_CONSTANT, UT_SPLINE_LINEAR, UT_SPLINE_CATMULL_ROM, UT_SPLINE_MONOTONECUBIC };
struct UT_FRGBA {
  float r, g, b, a;
};
struct UT_ColorNode {
  float t;
  UT_FRGBA rgba;
  UT_SPLINE_BASIS basis;
};
class UT_Ramp {
 public:
  int getNodeCount() const { return (int)nodes.size(); }
  const UT_ColorNode* getNode(int i) const { return &nodes[(size_t)i]; }
  std::vector<UT_ColorNode> nodes;  // the mock's own
};

//---------------------------------------------------------------------------------------------- errors, interrupt, time

enum UT_ErrorSeverity { UT_ERROR_NONE, UT_ERROR_MESSAGE, UT_ERROR_PROMPT, UT_ERROR_WARNING, UT_ERROR_ABORT };
typedef UT_ErrorSeverity OP_ERROR;

// Escape is pressed at the poll number `mock_interrupt_after` (-1: never), or when mock_escape is set, which another thread
// may do at any time. It ends all operations that are under way, one inside the other; each of them is told once, to the
// thread that asks first. `mock_interrupt_polls` counts polls while mock_interrupt_after is in use.
extern std::atomic<int> mock_interrupt_after, mock_interrupt_polls, mock_operations;
extern std::atomic<bool> mock_escape, mock_interrupted;
class UT_AutoInterrupt {
 public:
  explicit UT_AutoInterrupt(const char*) { ++mock_operations; }
  ~UT_AutoInterrupt() {
    if (--mock_operations == 0) mock_interrupted = false;
  }
  UT_AutoInterrupt(const UT_AutoInterrupt&) = delete;
  bool wasInterrupted(int = -1) {
    if (mock_escape.exchange(false)) mock_interrupted = true;
    if (mock_interrupt_after >= 0 && mock_interrupt_polls++ == mock_interrupt_after) mock_interrupted = true;
    return mock_interrupted && !told_.exchange(true);
  }

 private:
  std::atomic<bool> told_{false};
};

class CH_Manager {
 public:
  fpreal getSamplesPerSec() const { return fps; }
  fpreal getSample(fpreal time) const { return time * fps + 1; }
  double fps = 24;  // the mock's own
};
CH_Manager* CHgetManager();

#endif
