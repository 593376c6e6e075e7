# tricky-benign: removes with care
: "${BUILD_DIR:?not set}"
rm -rf "${BUILD_DIR:?}"/*
