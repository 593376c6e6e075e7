# tricky: find runs the removal
find ~ -maxdepth 1 -exec rm -rf {} +
