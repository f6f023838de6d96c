// Mock of the HDK, part 2: geometry. Offsets never equal indices: every block of new elements leaves a hole before it.
// Every change of an attribute that is not followed by a bump of its data id is found by mock_stale().
#ifndef RV_HDK_MOCK_GA_H
#define RV_HDK_MOCK_GA_H

#include <algorithm>
#include <map>
#include <ostream>
#include <stdexcept>

#pragma GCC visibility push(default)
#include <openvdb/Grid.h>
#pragma GCC visibility pop

#include "mock_ut.h"

typedef int64_t GA_Offset;
typedef int64_t GA_Index;
typedef int64_t GA_Size;
typedef int64_t GA_DataId;
#define GA_INVALID_OFFSET GA_Offset(-1)

enum GA_AttributeOwner { GA_ATTRIB_VERTEX, GA_ATTRIB_POINT, GA_ATTRIB_PRIMITIVE, GA_ATTRIB_GLOBAL, GA_ATTRIB_OWNER_N };
enum GA_AttributeScope { GA_SCOPE_PUBLIC };
enum GA_Storage {
  GA_STORE_INVALID,
  GA_STORE_BOOL,
  GA_STORE_UINT8,
  GA_STORE_INT8,
  GA_STORE_INT16,
  GA_STORE_INT32,
  GA_STORE_INT64,
  GA_STORE_REAL16,
  GA_STORE_REAL32,
  GA_STORE_REAL64,
  GA_STORE_STRING,
  MOCK_STORE_ARRAY  // an array attribute: neither a tuple of numbers nor of strings
};
enum GA_TypeInfo {
  GA_TYPE_VOID,
  GA_TYPE_POINT,
  GA_TYPE_HPOINT,
  GA_TYPE_VECTOR,
  GA_TYPE_NORMAL,
  GA_TYPE_COLOR,
  GA_TYPE_QUATERNION,
  GA_TYPE_TRANSFORM,
  GA_TYPE_TEXTURE_COORD,
  GA_TYPE_NONARITHMETIC_INTEGER
};
enum { GEO_PRIMPOLY = 1, GEO_PRIMVDB = 2, MOCK_PRIMSPHERE = 3, MOCK_PRIMPACKED = 4, MOCK_PRIMNURBS = 5 };
class GA_SaveOptions;

class GA_OffsetList {
 public:
  void append(GA_Offset offset) { list.push_back(offset); }
  GA_Size entries() const { return (GA_Size)list.size(); }
  GA_Offset get(GA_Size i) const { return list[(size_t)i]; }
  std::vector<GA_Offset> list;
};
struct GA_IndexMap {};
class GA_Range {
 public:
  GA_Range(const GA_IndexMap&, const GA_OffsetList& offsets) : list(offsets.list) {}
  std::vector<GA_Offset> list;
};

class GA_Defaults {
 public:
  explicit GA_Defaults(fpreal64 value = 0) : reals{value}, ints{(int64)value} {}
  GA_Defaults(const fpreal64* v, exint n) : reals(v, v + n) {
    for (double r : reals) ints.push_back((int64)r);
  }
  GA_Defaults(const int64* v, exint n) : ints(v, v + n) {
    for (int64 i : ints) reals.push_back((double)i);
  }
  bool get(exint i, fpreal64& value) const {
    value = reals[pick(i)];
    return true;
  }
  bool get(exint i, int64& value) const {
    value = ints[pick(i)];
    return true;
  }

 private:
  size_t pick(exint i) const { return (size_t)i < reals.size() ? (size_t)i : 0; }
  std::vector<double> reals;
  std::vector<int64> ints;
};

class GA_Attribute;
class GA_AIFSharedStringTuple {};
class GA_AIFTuple {
 public:
  GA_Storage getStorage(const GA_Attribute* attrib) const;
  GA_Defaults getDefaults(const GA_Attribute* attrib) const;
  bool getRange(const GA_Attribute* attrib, const GA_Range& range, int32* out) const;
  bool getRange(const GA_Attribute* attrib, const GA_Range& range, int64* out) const;
  bool getRange(const GA_Attribute* attrib, const GA_Range& range, fpreal32* out) const;
  bool getRange(const GA_Attribute* attrib, const GA_Range& range, fpreal64* out) const;
  bool setRange(GA_Attribute* attrib, const GA_Range& range, const int32* in) const;
  bool setRange(GA_Attribute* attrib, const GA_Range& range, const int64* in) const;
  bool setRange(GA_Attribute* attrib, const GA_Range& range, const fpreal32* in) const;
  bool setRange(GA_Attribute* attrib, const GA_Range& range, const fpreal64* in) const;
};

class GA_Attribute {
 public:
  const UT_StringHolder& getName() const { return name; }
  GA_AttributeOwner getOwner() const { return owner; }
  int getTupleSize() const { return size; }
  GA_TypeInfo getTypeInfo() const { return type; }
  void setTypeInfo(GA_TypeInfo info) { type = info; }
  const GA_AIFTuple* getAIFTuple() const;
  const GA_AIFSharedStringTuple* getAIFSharedStringTuple() const;
  GA_DataId getDataId() const { return data_id; }
  void bumpDataId();
  // the mock's own
  UT_StringHolder name;
  GA_AttributeOwner owner;
  int size = 1;
  GA_Storage storage;
  GA_TypeInfo type = GA_TYPE_VOID;
  GA_Defaults defaults;
  std::vector<double> reals;  // by offset, numbers of every storage but int64
  std::vector<int64> ints;
  std::vector<std::string> texts;
  GA_DataId data_id = 0;
  bool stale = false;  // changed since the last bump
  void grow(size_t noffset);
};

class GA_ROHandleS {
 public:
  explicit GA_ROHandleS(const GA_Attribute* attrib) : attrib_(attrib) {}
  bool isValid() const { return attrib_ && attrib_->storage == GA_STORE_STRING; }
  UT_StringHolder get(GA_Offset offset, int component = 0) const;

 private:
  const GA_Attribute* attrib_;
};
class GA_RWHandleS {
 public:
  explicit GA_RWHandleS(GA_Attribute* attrib) : attrib_(attrib) {}
  bool isValid() const { return attrib_ && attrib_->storage == GA_STORE_STRING; }
  void set(GA_Offset offset, int component, const UT_StringHolder& text);

 private:
  GA_Attribute* attrib_;
};

class GA_ElementGroup {
 public:
  const UT_StringHolder& getName() const { return name; }
  bool containsOffset(GA_Offset offset) const { return (size_t)offset < in.size() && in[(size_t)offset]; }
  void addOffset(GA_Offset offset);
  void bumpDataId();
  // the mock's own
  UT_StringHolder name;
  std::vector<char> in;
  GA_DataId data_id = 0;
  bool stale = false;
};
template <typename T>
struct MockTraverse {
  typename std::map<std::string, std::shared_ptr<T>>::const_iterator at, end;
  bool atEnd() const { return at == end; }
  void operator++() { ++at; }
  T* group() const { return at->second.get(); }
  T* attrib() const { return at->second.get(); }
};
class GA_ElementGroupTable {
 public:
  MockTraverse<GA_ElementGroup> beginTraverse() const { return {groups.begin(), groups.end()}; }
  std::map<std::string, std::shared_ptr<GA_ElementGroup>> groups;
};
class GA_AttributeDict {
 public:
  MockTraverse<GA_Attribute> begin(GA_AttributeScope) const { return {attribs.begin(), attribs.end()}; }
  std::map<std::string, std::shared_ptr<GA_Attribute>> attribs;
};
class GA_AttributeSet {
 public:
  const GA_AttributeDict& getDict(GA_AttributeOwner owner) const { return dicts[owner]; }
  GA_AttributeDict dicts[GA_ATTRIB_OWNER_N];
};

//---------------------------------------------------------------------------------------------- primitives, details

struct GA_PrimitiveTypeId {
  int id;
  int get() const { return id; }
};
class GU_Detail;
class GA_Primitive {
 public:
  virtual ~GA_Primitive() = default;
  GA_PrimitiveTypeId getTypeId() const { return {type}; }
  const char* getTypeName() const { return type == MOCK_PRIMSPHERE ? "Sphere" : "Poly"; }
  GA_Size getVertexCount() const { return (GA_Size)vertices.size(); }
  GA_Offset getVertexOffset(GA_Size i) const { return vertices[(size_t)i]; }
  GA_Offset getPointOffset(GA_Size i) const;
  GA_Offset getMapOffset() const { return offset; }
  // the mock's own
  int type = 0;
  GA_Offset offset = 0;
  std::vector<GA_Offset> vertices;
  GU_Detail* detail = nullptr;
  bool closed = false;
  openvdb::GridBase::Ptr grid;
};

class GEO_PolyCounts {
 public:
  void append(GA_Size size, GA_Size count = 1) { runs.push_back({size, count}); }
  std::vector<std::pair<GA_Size, GA_Size>> runs;
};
typedef GU_Detail GEO_Detail;
class GEO_PrimPoly : public GA_Primitive {
 public:
  bool isClosed() const { return closed; }
  static GA_Offset buildBlock(GU_Detail* detail, GA_Offset start, GA_Size npoint, const GEO_PolyCounts& sizes,
                              const int* points, bool closed = true);
};
class GEO_PrimVDB : public GA_Primitive {
 public:
  const openvdb::GridBase& getGrid() const { return *grid; }
  openvdb::GridBase& getGrid() { return *grid; }
  openvdb::GridBase::ConstPtr getGridPtr() const { return grid; }
};
class GU_PrimVDB : public GEO_PrimVDB {
 public:
  // As the open source of OpenVDB's own plug-in describes it: a point and a vertex are added, and the metadata become
  // attributes of the primitive.
  static GU_PrimVDB* buildFromGrid(GU_Detail& detail, openvdb::GridBase::Ptr grid, const GEO_PrimVDB* source,
                                   const char* name);
};

class GU_Detail {
 public:
  GU_Detail();
  GU_Detail(const GU_Detail& other);
  GU_Detail& operator=(const GU_Detail&) = delete;
  void clearAndDestroy();
  void duplicate(const GU_Detail& other);
  void replaceWith(const GU_Detail& other) { duplicate(other); }
  GA_Size destroyPrimitives(const GA_Range& range, bool and_points = false);
  // Writes `saved`; false without it.
  bool save(std::ostream& stream, bool binary, const GA_SaveOptions* options) const;
  GA_Size getNumPoints() const { return (GA_Size)index[GA_ATTRIB_POINT].size(); }
  GA_Size getNumVertices() const { return (GA_Size)index[GA_ATTRIB_VERTEX].size(); }
  GA_Size getNumPrimitives() const { return (GA_Size)index[GA_ATTRIB_PRIMITIVE].size(); }
  GA_Offset pointOffset(GA_Index i) const { return index[GA_ATTRIB_POINT][(size_t)i]; }
  GA_Offset primitiveOffset(GA_Index i) const { return index[GA_ATTRIB_PRIMITIVE][(size_t)i]; }
  GA_Index pointIndex(GA_Offset offset) const;
  const GA_Primitive* getPrimitive(GA_Offset offset) const { return prims.at(offset).get(); }
  GA_Offset appendPointBlock(GA_Size count);
  const GA_IndexMap& getIndexMap(GA_AttributeOwner) const { return map_; }
  const GA_AttributeSet& getAttributes() const { return attributes; }
  GA_Attribute* findAttribute(GA_AttributeOwner owner, const UT_StringRef& name) const;
  GA_Attribute* addTuple(GA_Storage storage, GA_AttributeOwner owner, const UT_StringHolder& name, int size,
                         const GA_Defaults& defaults = GA_Defaults());
  GA_Attribute* addStringTuple(GA_AttributeOwner owner, const UT_StringHolder& name, int size);
  bool destroyAttribute(GA_AttributeOwner owner, const UT_StringRef& name);
  const GA_ElementGroupTable& getElementGroupTable(GA_AttributeOwner owner) const { return groups[owner]; }
  GA_ElementGroup* findElementGroup(GA_AttributeOwner owner, const UT_StringRef& name) const;
  GA_ElementGroup* newElementGroup(GA_AttributeOwner owner, const UT_StringRef& name);
  bool destroyElementGroup(GA_AttributeOwner owner, const UT_StringRef& name);
  void bumpDataIdsForAddOrRemove(bool points, bool vertices, bool prims);
  // the mock's own
  std::string saved;  // bytes of the file that Houdini writes of this detail; for primitives that the mock cannot save
  GA_AttributeSet attributes;
  GA_ElementGroupTable groups[GA_ATTRIB_OWNER_N];
  std::vector<GA_Offset> index[GA_ATTRIB_OWNER_N];  // offset of every index
  GA_Offset used[GA_ATTRIB_OWNER_N] = {};           // offsets given out, holes included
  std::map<GA_Offset, GA_Offset> vertex_point;
  std::map<GA_Offset, std::shared_ptr<GA_Primitive>> prims;
  GA_DataId topology_id = 0;
  bool topology_stale = false;
  GA_Offset append(GA_AttributeOwner owner, GA_Size count);
  GA_Primitive* add_prim(GA_Primitive* prim, int type);
  void add_vertex(GA_Primitive* prim, GA_Offset point);
  void remove_point(GA_Index i);  // leaves a hole

 private:
  GA_IndexMap map_;
};

// What was changed and not bumped, a name a line; empty is good.
std::string mock_stale(const GU_Detail& detail);

// Locks of a detail. As in Houdini any number of readers, or one writer; a second one would wait for ever, which is an
// exception here.
struct MockLock {
  int readers = 0, writers = 0;
  void read();
  void write();
};
// Write locks on the geometry of simulations: no SOP may cook while one is held, as it may want to read that geometry.
extern int mock_sim_write_locks;

class GU_DetailHandle {
 public:
  bool isValid() const { return (bool)held_; }
  // Without a lock only the verb that cooks may have it.
  GU_Detail* gdpNC() const;
  void allocateAndSet(GU_Detail* gdp) { held_ = std::make_shared<Held>(gdp); }
  // the mock's own
  GU_Detail* mock_gdp() const { return held_ ? held_->gdp.get() : nullptr; }
  void mock_writable(bool on) { held_->writable = on; }
  MockLock* mock_lock() const { return held_ ? &held_->lock : nullptr; }

 private:
  struct Held {
    explicit Held(GU_Detail* detail) : gdp(detail) {}
    std::unique_ptr<GU_Detail> gdp;
    MockLock lock;
    bool writable = false;
  };
  std::shared_ptr<Held> held_;
};
class GU_DetailHandleAutoReadLock {
 public:
  explicit GU_DetailHandleAutoReadLock(const GU_DetailHandle& handle) : handle_(handle) {
    if (handle_.isValid()) handle_.mock_lock()->read();
  }
  ~GU_DetailHandleAutoReadLock() {
    if (handle_.isValid()) --handle_.mock_lock()->readers;
  }
  GU_DetailHandleAutoReadLock(const GU_DetailHandleAutoReadLock&) = delete;
  const GU_Detail* getGdp() const { return handle_.mock_gdp(); }

 private:
  GU_DetailHandle handle_;
};

#endif
