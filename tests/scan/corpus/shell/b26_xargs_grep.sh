# benign: searches in parallel
git ls-files -z '*.py' | xargs -0 -P4 -n20 grep -nH 'print(' || true
