# tricky: the path goes up
rm -rf ./build/../../../../../../home
