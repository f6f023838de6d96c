// Mock of the HDK: geometry. Own code; not Houdini.
#include "mock_ga.h"

std::atomic<int> mock_interrupt_after{-1}, mock_interrupt_polls{0}, mock_operations{0};
std::atomic<bool> mock_escape{false}, mock_interrupted{false};
int mock_sim_write_locks = 0;
static GA_DataId next_id = 1;

CH_Manager* CHgetManager() {
  static CH_Manager manager;
  return &manager;
}

//---------------------------------------------------------------------------------------------- locks

void MockLock::read() {
  if (writers) throw std::runtime_error("mock: geometry is read while it is locked for writing");
  ++readers;
}
void MockLock::write() {
  if (readers || writers) throw std::runtime_error("mock: geometry is locked for writing twice, or while it is read");
  ++writers;
}
GU_Detail* GU_DetailHandle::gdpNC() const {
  if (!held_ || !held_->writable) throw std::runtime_error("mock: geometry is written outside a cook and without a lock");
  return held_->gdp.get();
}

//---------------------------------------------------------------------------------------------- attributes

static bool is_int64(const GA_Attribute* a) {
  return a->storage == GA_STORE_INT64;
}

void GA_Attribute::grow(size_t noffset) {
  size_t old = (storage == GA_STORE_STRING ? texts.size() : is_int64(this) ? ints.size() : reals.size()) / (size_t)size;
  for (size_t i = old; i < noffset; ++i)
    for (int c = 0; c < size; ++c) {
      double real = 0;
      int64 whole = 0;
      defaults.get(c, real);
      defaults.get(c, whole);
      if (storage == GA_STORE_STRING)
        texts.emplace_back();
      else if (is_int64(this))
        ints.push_back(whole);
      else
        reals.push_back(real);
    }
}

static const GA_AIFTuple the_tuple;
static const GA_AIFSharedStringTuple the_strings;
const GA_AIFTuple* GA_Attribute::getAIFTuple() const {
  return storage == GA_STORE_STRING || storage == MOCK_STORE_ARRAY ? nullptr : &the_tuple;
}
const GA_AIFSharedStringTuple* GA_Attribute::getAIFSharedStringTuple() const {
  return storage == GA_STORE_STRING ? &the_strings : nullptr;
}
void GA_Attribute::bumpDataId() {
  data_id = next_id++;
  stale = false;
}

GA_Storage GA_AIFTuple::getStorage(const GA_Attribute* attrib) const {
  return attrib->storage;
}
GA_Defaults GA_AIFTuple::getDefaults(const GA_Attribute* attrib) const {
  return attrib->defaults;
}

template <typename T>
static bool get_range(const GA_Attribute* a, const GA_Range& range, T* out) {
  for (GA_Offset offset : range.list)
    for (int c = 0; c < a->size; ++c) {
      size_t at = (size_t)offset * (size_t)a->size + (size_t)c;
      *out++ = is_int64(a) ? (T)a->ints.at(at) : (T)a->reals.at(at);
    }
  return true;
}

template <typename T>
static bool set_range(GA_Attribute* a, const GA_Range& range, const T* in) {
  for (GA_Offset offset : range.list)
    for (int c = 0; c < a->size; ++c, ++in) {
      size_t at = (size_t)offset * (size_t)a->size + (size_t)c;
      if (is_int64(a))
        a->ints.at(at) = (int64)*in;
      else if (a->storage == GA_STORE_REAL32)
        a->reals.at(at) = (float)*in;
      else
        a->reals.at(at) = (double)*in;
    }
  return a->stale = true;
}

#define MOCK_RANGE(T)                                                                           \
  bool GA_AIFTuple::getRange(const GA_Attribute* attrib, const GA_Range& range, T* out) const { \
    return get_range(attrib, range, out);                                                       \
  }                                                                                             \
  bool GA_AIFTuple::setRange(GA_Attribute* attrib, const GA_Range& range, const T* in) const {  \
    return set_range(attrib, range, in);                                                        \
  }
MOCK_RANGE(int32)
MOCK_RANGE(int64)
MOCK_RANGE(fpreal32)
MOCK_RANGE(fpreal64)

UT_StringHolder GA_ROHandleS::get(GA_Offset offset, int component) const {
  return attrib_->texts.at((size_t)offset * (size_t)attrib_->size + (size_t)component);
}
void GA_RWHandleS::set(GA_Offset offset, int component, const UT_StringHolder& text) {
  attrib_->texts.at((size_t)offset * (size_t)attrib_->size + (size_t)component) = text.c_str();
  attrib_->stale = true;
}

void GA_ElementGroup::addOffset(GA_Offset offset) {
  if ((size_t)offset >= in.size()) in.resize((size_t)offset + 1);
  in[(size_t)offset] = 1;
  stale = true;
}
void GA_ElementGroup::bumpDataId() {
  data_id = next_id++;
  stale = false;
}

//---------------------------------------------------------------------------------------------- details

GA_Offset GA_Primitive::getPointOffset(GA_Size i) const {
  return detail->vertex_point.at(vertices.at((size_t)i));
}

GU_Detail::GU_Detail() {
  clearAndDestroy();
  // nobody has seen it yet
  bumpDataIdsForAddOrRemove(true, true, true);
}

GU_Detail::GU_Detail(const GU_Detail& other) {
  duplicate(other);
}

void GU_Detail::clearAndDestroy() {
  for (int o = 0; o < GA_ATTRIB_OWNER_N; ++o) {
    attributes.dicts[o].attribs.clear();
    groups[o].groups.clear();
    index[o].clear();
    used[o] = 0;
  }
  saved.clear();
  vertex_point.clear();
  prims.clear();
  topology_stale = true;
  index[GA_ATTRIB_GLOBAL].push_back(0);
  used[GA_ATTRIB_GLOBAL] = 1;
  addTuple(GA_STORE_REAL32, GA_ATTRIB_POINT, "P", 3)->setTypeInfo(GA_TYPE_POINT);
}

// values are copied, data ids stay: that is what a cache compares
void GU_Detail::duplicate(const GU_Detail& other) {
  for (int o = 0; o < GA_ATTRIB_OWNER_N; ++o) {
    attributes.dicts[o].attribs.clear();
    groups[o].groups.clear();
    for (auto& a : other.attributes.dicts[o].attribs)
      attributes.dicts[o].attribs[a.first] = std::make_shared<GA_Attribute>(*a.second);
    for (auto& g : other.groups[o].groups) groups[o].groups[g.first] = std::make_shared<GA_ElementGroup>(*g.second);
    index[o] = other.index[o];
    used[o] = other.used[o];
  }
  saved = other.saved;
  vertex_point = other.vertex_point;
  prims.clear();
  for (auto& p : other.prims) {
    GA_Primitive* copy;
    if (p.second->type == GEO_PRIMVDB)
      copy = new GU_PrimVDB(static_cast<const GU_PrimVDB&>(*p.second));
    else
      copy = new GEO_PrimPoly(static_cast<const GEO_PrimPoly&>(*p.second));
    copy->detail = this;
    if (copy->grid) copy->grid = copy->grid->copyGrid();
    prims[p.first].reset(copy);
  }
  topology_id = other.topology_id;
  topology_stale = other.topology_stale;
}

GA_Index GU_Detail::pointIndex(GA_Offset offset) const {
  // offsets go up with the index
  const auto& list = index[GA_ATTRIB_POINT];
  return std::lower_bound(list.begin(), list.end(), offset) - list.begin();
}

GA_Offset GU_Detail::append(GA_AttributeOwner owner, GA_Size count) {
  GA_Offset first = used[owner] + 3;
  used[owner] = first + count;
  for (GA_Size i = 0; i < count; ++i) index[owner].push_back(first + i);
  for (auto& a : attributes.dicts[owner].attribs) {
    a.second->grow((size_t)used[owner]);
    a.second->stale = true;
  }
  topology_stale = true;
  return first;
}

GA_Offset GU_Detail::appendPointBlock(GA_Size count) {
  return append(GA_ATTRIB_POINT, count);
}

GA_Primitive* GU_Detail::add_prim(GA_Primitive* prim, int type) {
  prim->type = type;
  prim->detail = this;
  prim->offset = append(GA_ATTRIB_PRIMITIVE, 1);
  prims[prim->offset].reset(prim);
  return prim;
}

void GU_Detail::add_vertex(GA_Primitive* prim, GA_Offset point) {
  GA_Offset vertex = append(GA_ATTRIB_VERTEX, 1);
  vertex_point[vertex] = point;
  prim->vertices.push_back(vertex);
}

void GU_Detail::remove_point(GA_Index i) {
  index[GA_ATTRIB_POINT].erase(index[GA_ATTRIB_POINT].begin() + i);
}

GA_Size GU_Detail::destroyPrimitives(const GA_Range& range, bool and_points) {
  for (GA_Offset offset : range.list) {
    GA_Primitive& prim = *prims.at(offset);
    for (GA_Offset vertex : prim.vertices) {
      auto& points = index[GA_ATTRIB_POINT];
      if (and_points) points.erase(std::find(points.begin(), points.end(), vertex_point.at(vertex)));
      auto& vertices = index[GA_ATTRIB_VERTEX];
      vertices.erase(std::find(vertices.begin(), vertices.end(), vertex));
      vertex_point.erase(vertex);
    }
    auto& all = index[GA_ATTRIB_PRIMITIVE];
    all.erase(std::find(all.begin(), all.end(), offset));
    prims.erase(offset);
  }
  topology_stale = true;
  return (GA_Size)range.list.size();
}

bool GU_Detail::save(std::ostream& stream, bool, const GA_SaveOptions*) const {
  // the file in `saved` has no VDBs: they must be gone before
  for (auto& each : prims)
    if (each.second->type == GEO_PRIMVDB) throw std::runtime_error("mock: a VDB is saved to a stream");
  stream << saved;
  return !saved.empty() && stream.good();
}

GA_Attribute* GU_Detail::findAttribute(GA_AttributeOwner owner, const UT_StringRef& name) const {
  auto it = attributes.dicts[owner].attribs.find(name.c_str());
  return it == attributes.dicts[owner].attribs.end() ? nullptr : it->second.get();
}

GA_Attribute* GU_Detail::addTuple(GA_Storage storage, GA_AttributeOwner owner, const UT_StringHolder& name, int size,
                                  const GA_Defaults& defaults) {
  auto a = std::make_shared<GA_Attribute>();
  a->name = name;
  a->owner = owner;
  a->size = size;
  a->storage = storage;
  a->defaults = defaults;
  a->grow((size_t)used[owner]);
  a->stale = true;
  attributes.dicts[owner].attribs[name.c_str()] = a;
  return a.get();
}

GA_Attribute* GU_Detail::addStringTuple(GA_AttributeOwner owner, const UT_StringHolder& name, int size) {
  return addTuple(GA_STORE_STRING, owner, name, size);
}

bool GU_Detail::destroyAttribute(GA_AttributeOwner owner, const UT_StringRef& name) {
  return attributes.dicts[owner].attribs.erase(name.c_str()) > 0;
}

GA_ElementGroup* GU_Detail::findElementGroup(GA_AttributeOwner owner, const UT_StringRef& name) const {
  auto it = groups[owner].groups.find(name.c_str());
  return it == groups[owner].groups.end() ? nullptr : it->second.get();
}

GA_ElementGroup* GU_Detail::newElementGroup(GA_AttributeOwner owner, const UT_StringRef& name) {
  auto g = std::make_shared<GA_ElementGroup>();
  g->name = name;
  g->stale = true;
  groups[owner].groups[name.c_str()] = g;
  return g.get();
}

bool GU_Detail::destroyElementGroup(GA_AttributeOwner owner, const UT_StringRef& name) {
  return groups[owner].groups.erase(name.c_str()) > 0;
}

void GU_Detail::bumpDataIdsForAddOrRemove(bool points, bool vertices, bool primitives) {
  bool which[] = {vertices, points, primitives, false};
  for (int o = 0; o < GA_ATTRIB_OWNER_N; ++o) {
    if (!which[o]) continue;
    for (auto& a : attributes.dicts[o].attribs) a.second->bumpDataId();
    for (auto& g : groups[o].groups) g.second->bumpDataId();
  }
  topology_id = next_id++;
  topology_stale = false;
}

std::string mock_stale(const GU_Detail& detail) {
  std::string out = detail.topology_stale ? "topology\n" : "";
  for (int o = 0; o < GA_ATTRIB_OWNER_N; ++o) {
    for (auto& a : detail.attributes.dicts[o].attribs)
      if (a.second->stale) out += a.first + "\n";
    for (auto& g : detail.groups[o].groups)
      if (g.second->stale) out += "group " + g.first + "\n";
  }
  return out;
}

//---------------------------------------------------------------------------------------------- primitives

GA_Offset GEO_PrimPoly::buildBlock(GU_Detail* detail, GA_Offset start, GA_Size, const GEO_PolyCounts& sizes,
                                   const int* points, bool closed) {
  GA_Offset first = GA_INVALID_OFFSET;
  for (auto& run : sizes.runs)
    for (GA_Size i = 0; i < run.second; ++i) {
      GA_Primitive* prim = detail->add_prim(new GEO_PrimPoly, GEO_PRIMPOLY);
      if (first == GA_INVALID_OFFSET) first = prim->offset;
      prim->closed = closed;
      for (GA_Size k = 0; k < run.first; ++k) detail->add_vertex(prim, start + *points++);
    }
  return first;
}

GU_PrimVDB* GU_PrimVDB::buildFromGrid(GU_Detail& detail, openvdb::GridBase::Ptr grid, const GEO_PrimVDB*,
                                      const char* name) {
  GU_PrimVDB* vdb = new GU_PrimVDB;
  detail.add_prim(vdb, GEO_PRIMVDB);
  detail.add_vertex(vdb, detail.appendPointBlock(1));
  if (name) grid->setName(name);
  grid->insertMeta("value_type", openvdb::StringMetadata(grid->valueType()));
  grid->setGridClass(grid->getGridClass());
  grid->setVectorType(grid->getVectorType());
  grid->setIsInWorldSpace(grid->isInWorldSpace());
  grid->setSaveFloatAsHalf(grid->saveFloatAsHalf());
  for (auto it = grid->beginMeta(); it != grid->endMeta(); ++it) {
    GA_Attribute* a = detail.findAttribute(GA_ATTRIB_PRIMITIVE, it->first);
    if (!a) a = detail.addStringTuple(GA_ATTRIB_PRIMITIVE, it->first, 1);
    GA_RWHandleS(a).set(vdb->offset, 0, it->second->str());
  }
  vdb->grid = grid;
  return vdb;
}
