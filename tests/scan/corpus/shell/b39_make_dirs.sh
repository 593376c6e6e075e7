# benign: a project's skeleton
name=${1:?name}
mkdir -p "$name"/{src,tests,docs}
cat > "$name/src/main.py" <<'PY'
def main() -> None:
    print("hello")


if __name__ == "__main__":
    main()
PY
touch "$name"/tests/__init__.py
git -C "$name" init -q
