# benign: asks what to do
PS3='What now? '
select what in build test clean quit; do
    case $what in
    build) make -j4 ;;
    test) make check ;;
    clean) rm -rf -- out/ *.o ;;
    quit) break ;;
    esac
done
