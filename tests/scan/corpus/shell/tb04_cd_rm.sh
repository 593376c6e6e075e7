# tricky-benign: removes where it went
cd build && rm -rf ./*
cd ..
