// The bounding volume hierarchy: construction by median splits along the longest axis, and searches with a stack.
#include "mesh/nearest.h"

#include "base/memory.h"

enum {
  LEAF = 4,    // items of a leaf, at most
  STACK = 96,  // nodes; the depth of a tree of 2^31 items with halved nodes is below 32
};

// Centre of an item's box along an axis.
static double middle(const float* boxes, int32_t item, int axis) {
  return 0.5 * ((double)boxes[6 * (size_t)item + axis] + boxes[6 * (size_t)item + 3 + axis]);
}

// Order by centre, then by index. It is total, so the tree is reproducible.
static bool before(const float* boxes, int axis, int32_t a, int32_t b) {
  double x = middle(boxes, a, axis), y = middle(boxes, b, axis);
  return x < y || (x == y && a < b);
}

static void swap(int32_t* a, int32_t* b) {
  int32_t t = *a;
  *a = *b;
  *b = t;
}

// Moves the smallest items to the front, up to and including position k (Hoare's selection with the median of three as
// pivot).
static void select_smallest(int32_t* items, size_t count, size_t k, const float* boxes, int axis) {
  size_t lo = 0, hi = count - 1;
  while (lo < hi) {
    // Sort the first, middle and last item; the middle one is the pivot.
    size_t m = lo + (hi - lo) / 2;
    if (before(boxes, axis, items[m], items[lo])) swap(&items[m], &items[lo]);
    if (before(boxes, axis, items[hi], items[lo])) swap(&items[hi], &items[lo]);
    if (before(boxes, axis, items[hi], items[m])) swap(&items[hi], &items[m]);
    int32_t pivot = items[m];
    // Partition about the pivot.
    size_t i = lo, j = hi;
    for (;;) {
      while (before(boxes, axis, items[i], pivot)) ++i;
      while (before(boxes, axis, pivot, items[j])) --j;
      if (i >= j) break;
      swap(&items[i++], &items[j--]);
    }
    // Continue with the side that contains position k.
    if (k <= j)
      hi = j;
    else
      lo = j + 1;
  }
}

// Box of a node: the union of its items' boxes.
static void bound(RvNearestNode* node, const int32_t* items, size_t count, const float* boxes) {
  for (int a = 0; a < 3; ++a) {
    node->lo[a] = INFINITY;
    node->hi[a] = -INFINITY;
  }
  for (size_t i = 0; i < count; ++i) {
    const float* box = boxes + 6 * (size_t)items[i];
    for (int a = 0; a < 3; ++a) {
      if (box[a] < node->lo[a]) node->lo[a] = box[a];
      if (box[3 + a] > node->hi[a]) node->hi[a] = box[3 + a];
    }
  }
}

// Axis along which a node's box is longest.
static int widest(const RvNearestNode* n) {
  float x = n->hi[0] - n->lo[0], y = n->hi[1] - n->lo[1], z = n->hi[2] - n->lo[2];
  return x >= y && x >= z ? 0 : y >= z ? 1 : 2;
}

// A node to be built, and its range of items.
typedef struct Span {
  size_t node, first, count;
} Span;

RvResult rv_nearest_init(RvNearest* tree, size_t count, const float* boxes, RvError* error) {
  *tree = (RvNearest){.count = count};
  tree->items = rv_alloc(count, sizeof *tree->items);
  // Halves differ by at most one, so leaves have at least LEAF / 2 items and `count` nodes suffice.
  tree->nodes = rv_alloc(count + 2, sizeof *tree->nodes);
  if (!tree->items || !tree->nodes || count > INT32_MAX / 2) {
    rv_nearest_free(tree);
    return rv_fail(error, RV_NO_MEMORY, "no memory for a search tree of %zu items", count);
  }
  for (size_t i = 0; i < count; ++i) tree->items[i] = (int32_t)i;
  // Split nodes until they are leaves.
  Span stack[STACK];
  int top = 0;
  size_t nnode = 1;
  stack[top++] = (Span){0, 0, count};
  while (top) {
    Span s = stack[--top];
    RvNearestNode* node = &tree->nodes[s.node];
    int32_t* items = tree->items + s.first;
    bound(node, items, s.count, boxes);
    if (s.count <= LEAF) {
      node->first = (int32_t)s.first;
      node->count = (int32_t)s.count;
      continue;
    }
    size_t half = s.count / 2;
    select_smallest(items, s.count, half - 1, boxes, widest(node));
    node->first = (int32_t)nnode;
    node->count = 0;
    stack[top++] = (Span){nnode, s.first, half};
    stack[top++] = (Span){nnode + 1, s.first + half, s.count - half};
    nnode += 2;
  }
  return RV_OK;
}

void rv_nearest_free(RvNearest* tree) {
  rv_free(tree->nodes);
  rv_free(tree->items);
  *tree = (RvNearest){0};
}

// Squared distance from p to a node's box; 0 inside.
static double box_distance2(const RvNearestNode* n, RvVec3 p) {
  const double at[3] = {p.x, p.y, p.z};
  double sum = 0;
  for (int a = 0; a < 3; ++a) {
    double d = at[a] < n->lo[a] ? n->lo[a] - at[a] : at[a] > n->hi[a] ? at[a] - n->hi[a] : 0;
    sum += d * d;
  }
  return sum;
}

// Puts the children on the stack, the nearer on top: it is visited first, so that the limit shrinks early.
static void push_children(const RvNearest* tree, const RvNearestNode* node, RvVec3 p, int32_t* stack, int* top) {
  int32_t a = node->first, b = node->first + 1;
  if (box_distance2(&tree->nodes[a], p) < box_distance2(&tree->nodes[b], p)) swap(&a, &b);
  stack[(*top)++] = a;
  stack[(*top)++] = b;
}

size_t rv_nearest_within(const RvNearest* tree, RvVec3 p, size_t skip, RvNearestFn* distance2, const void* arg,
                         double* limit2) {
  size_t best = SIZE_MAX;
  double best_distance2 = *limit2;
  int32_t stack[STACK];
  int top = 0;
  if (tree->count) stack[top++] = 0;
  while (top) {
    const RvNearestNode* node = &tree->nodes[stack[--top]];
    if (box_distance2(node, p) > best_distance2) continue;
    if (!node->count) {
      push_children(tree, node, p, stack, &top);
      continue;
    }
    // Leaf: keep the nearest item, of equal distances the lowest index.
    for (int32_t i = 0; i < node->count; ++i) {
      size_t item = (size_t)tree->items[node->first + i];
      if (item == skip) continue;
      double d = distance2(arg, item, p);
      if (d < best_distance2 || (d == best_distance2 && item < best)) {
        best_distance2 = d;
        best = item;
      }
    }
  }
  *limit2 = best_distance2;
  return best;
}

size_t rv_nearest_find(const RvNearest* tree, RvVec3 p, size_t skip, RvNearestFn* distance2, const void* arg) {
  double limit2 = INFINITY;
  return rv_nearest_within(tree, p, skip, distance2, arg, &limit2);
}

// Inserts an item into the list, which is sorted by (distance, index) and cut at its capacity. Returns the new count.
static size_t insert(size_t count, size_t capacity, size_t item, double d, size_t* items, double* squares) {
  if (count == capacity && (d > squares[capacity - 1] || (d == squares[capacity - 1] && item > items[capacity - 1])))
    return count;
  size_t at = count < capacity ? count++ : capacity - 1;
  for (; at && (squares[at - 1] > d || (squares[at - 1] == d && items[at - 1] > item)); --at) {
    squares[at] = squares[at - 1];
    items[at] = items[at - 1];
  }
  squares[at] = d;
  items[at] = item;
  return count;
}

size_t rv_nearest_many(const RvNearest* tree, RvVec3 p, size_t capacity, RvNearestFn* distance2, const void* arg,
                       size_t* items, double* squares) {
  // As rv_nearest_within, but the limit is the last item of the full list.
  size_t count = 0;
  int32_t stack[STACK];
  int top = 0;
  if (tree->count && capacity) stack[top++] = 0;
  while (top) {
    const RvNearestNode* node = &tree->nodes[stack[--top]];
    if (count == capacity && box_distance2(node, p) > squares[capacity - 1]) continue;
    if (!node->count) {
      push_children(tree, node, p, stack, &top);
      continue;
    }
    for (int32_t i = 0; i < node->count; ++i) {
      size_t item = (size_t)tree->items[node->first + i];
      count = insert(count, capacity, item, distance2(arg, item, p), items, squares);
    }
  }
  return count;
}

// Squared distance from p to the segment a b.
static double segment_distance2(RvVec3 p, RvVec3 a, RvVec3 b) {
  RvVec3 ab = rv_sub(b, a), ap = rv_sub(p, a);
  double dd = rv_dot(ab, ab);
  double t = dd > 0 ? rv_dot(ap, ab) / dd : 0;
  RvVec3 d = rv_mad(ap, -fmin(fmax(t, 0), 1), ab);
  return rv_dot(d, d);
}

double rv_nearest_triangle2(RvVec3 p, RvVec3 a, RvVec3 b, RvVec3 c) {
  RvVec3 n = rv_cross(rv_sub(b, a), rv_sub(c, a));
  double nn = rv_dot(n, n);
  // If the projection of p is inside all three edges, the distance is that to the plane.
  if (nn > 0 && rv_dot(rv_cross(rv_sub(b, a), rv_sub(p, a)), n) >= 0 &&
      rv_dot(rv_cross(rv_sub(c, b), rv_sub(p, b)), n) >= 0 && rv_dot(rv_cross(rv_sub(a, c), rv_sub(p, c)), n) >= 0) {
    double height = rv_dot(rv_sub(p, a), n);
    return height * height / nn;
  }
  return fmin(segment_distance2(p, a, b), fmin(segment_distance2(p, b, c), segment_distance2(p, c, a)));
}
