# Houdini and the libraries of its process. Everything that Houdini has itself is Houdini's own here: a second OpenVDB, TBB,
# Blosc or zlib in one process crashes it (OpenVDB's issues 135 and 603). The rest is compiled into the plug-in: xxhash as
# static functions. jansson, libpng and Embree belong to the command line and the renderer, which this build has not.
if(NOT Houdini_ROOT AND NOT DEFINED ENV{HFS})
  message(FATAL_ERROR "RV_HOUDINI needs a Houdini: source houdini_setup, or set -DHoudini_ROOT=/opt/hfsX.Y")
endif()
if(NOT Houdini_ROOT)
  set(Houdini_ROOT $ENV{HFS})
endif()
list(APPEND CMAKE_PREFIX_PATH ${Houdini_ROOT}/toolkit/cmake
     ${Houdini_ROOT}/Frameworks/Houdini.framework/Versions/Current/Resources/toolkit/cmake)
find_package(Houdini CONFIG REQUIRED)

# The versions that the package knows; one that is not listed needs a row in packages/rivulet.json too.
set(RV_HOUDINI_VERSIONS 19.5 20.0 20.5 21.0)
string(REGEX MATCH "^[0-9]+\\.[0-9]+" houdini_release "${Houdini_VERSION}")
if(RV_HOUDINI_RELEASE AND NOT RV_HOUDINI_RELEASE STREQUAL houdini_release)
  message(FATAL_ERROR "the preset is for Houdini ${RV_HOUDINI_RELEASE}, but ${Houdini_ROOT} is ${Houdini_VERSION}")
endif()
if(NOT houdini_release IN_LIST RV_HOUDINI_VERSIONS)
  message(FATAL_ERROR "Houdini ${Houdini_VERSION} is not one of ${RV_HOUDINI_VERSIONS}")
endif()

# The folder of Houdini's libraries, as OpenVDB's build files have it.
if(APPLE)
  set(houdini_libraries ${Houdini_ROOT}/Frameworks/Houdini.framework/Versions/Current/Libraries)
elseif(WIN32)
  set(houdini_libraries ${Houdini_ROOT}/custom/houdini/dsolib)
else()
  set(houdini_libraries ${Houdini_ROOT}/dsolib)
endif()
# Names vary with the version and the platform: libopenvdb_sesi.so, openvdb_sesi.lib, libz.so, zdll.lib ...
foreach(library "openvdb openvdb_sesi openvdb_sidefx openvdb" "blosc blosc blosc_sidefx libblosc" "zlib z zlib zdll z_sidefx")
  string(REPLACE " " ";" names ${library})
  list(POP_FRONT names what)
  find_library(HOUDINI_${what} NAMES ${names} PATHS ${houdini_libraries} NO_DEFAULT_PATH)
  if(HOUDINI_${what})
    list(APPEND houdini_own ${HOUDINI_${what}})
  elseif(NOT what STREQUAL openvdb)  # newer versions link OpenVDB by the target Houdini
    message(FATAL_ERROR "${houdini_libraries} has no ${what}, which must be Houdini's own")
  endif()
endforeach()
find_path(XXHASH_INCLUDE xxhash.h REQUIRED)

add_library(rivulet_deps INTERFACE)
target_link_libraries(rivulet_deps INTERFACE Houdini ${houdini_own})
target_include_directories(rivulet_deps INTERFACE $<TARGET_PROPERTY:Houdini,INTERFACE_INCLUDE_DIRECTORIES>)
# after Houdini's own headers, whose zlib and Blosc must be found first
if(MSVC)
  target_include_directories(rivulet_deps SYSTEM INTERFACE ${XXHASH_INCLUDE})
else()
  target_compile_options(rivulet_deps INTERFACE -idirafter ${XXHASH_INCLUDE})
endif()
target_compile_definitions(rivulet_deps INTERFACE XXH_INLINE_ALL)
