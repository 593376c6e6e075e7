# benign: builds a package
set -e
name=tool version=$(git describe --tags --always | sed 's/^v//')
root=$(mktemp -d)
install -Dm755 build/tool "$root/usr/bin/tool"
install -Dm644 man/tool.1 "$root/usr/share/man/man1/tool.1"
mkdir -p "$root/DEBIAN"
printf 'Package: %s\nVersion: %s\nArchitecture: amd64\nMaintainer: me\nDescription: x\n' "$name" "$version" > "$root/DEBIAN/control"
dpkg-deb --build "$root" "dist/${name}_${version}_amd64.deb"
rm -rf "$root"
