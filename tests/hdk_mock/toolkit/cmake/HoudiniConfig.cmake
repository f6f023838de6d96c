# Mock of Houdini's CMake package, to try the build files without a Houdini: the headers are the mock's, the libraries the
# system's. What is built with it does not load in Houdini.
set(Houdini_FOUND TRUE)
# a test may ask for another version
set(Houdini_VERSION 20.5.0)
if(MOCK_HOUDINI_VERSION)
  set(Houdini_VERSION ${MOCK_HOUDINI_VERSION})
endif()
add_library(Houdini INTERFACE)
get_filename_component(mock ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
target_include_directories(Houdini INTERFACE ${mock})
target_link_libraries(Houdini INTERFACE openvdb Imath-3_1 tbb)
function(houdini_configure_target target)
  cmake_parse_arguments(mock "" "INSTDIR;LIB_PREFIX" "" ${ARGN})
  if(NOT mock_INSTDIR)
    message(FATAL_ERROR "without INSTDIR Houdini would run hython, which takes a licence")
  endif()
  set_target_properties(${target} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${mock_INSTDIR})
endfunction()
