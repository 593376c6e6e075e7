# benign: looks at a repository
git status --short
git log --oneline -n 20 | cat
git diff --stat HEAD~3 | tail -n 1
