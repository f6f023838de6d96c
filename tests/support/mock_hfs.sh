# make_mock_hfs FOLDER: a folder that looks like Houdini's, with the mock's CMake package and headers, and Houdini's own libraries
# by their names there, which are the system's. To be sourced.
make_mock_hfs() {
  local name library target
  cp -r "$RV_SOURCE_DIR/tests/hdk_mock" "$1"
  mkdir "$1/dsolib"
  for name in blosc z openvdb; do
    library=$(${CC:-cc} -print-file-name=lib$name.so)
    target=$1/dsolib/lib$name.so
    [ $name = openvdb ] && target=$1/dsolib/libopenvdb_sesi.so
    ln -s "$library" "$target"
  done
}
