# tricky: the default of a variable is everything
rm -rf "${BUILD_DIR:-/}"
