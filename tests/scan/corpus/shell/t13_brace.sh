# tricky: words by braces
{rm,-rf,/}
