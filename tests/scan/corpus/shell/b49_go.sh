# benign: builds for many platforms
for os in linux darwin windows; do
    for arch in amd64 arm64; do
        GOOS=$os GOARCH=$arch CGO_ENABLED=0 go build -trimpath -o "dist/app-$os-$arch" ./cmd/app
    done
done
sha256sum dist/app-* > dist/SHA256SUMS
