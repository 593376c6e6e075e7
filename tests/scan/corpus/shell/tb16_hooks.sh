# tricky-benign: hooks that are part of the project
git config core.hooksPath .githooks
chmod +x .githooks/*
