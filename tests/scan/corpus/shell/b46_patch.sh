# benign: applies a patch from standard input
git apply --check - < fix.patch && git apply fix.patch
