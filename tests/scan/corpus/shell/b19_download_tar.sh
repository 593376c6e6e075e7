# benign: unpacks a download
curl -fsSL https://example.org/dist/tool-1.2.tar.gz | tar xz -C vendor --strip-components=1
make -C vendor
