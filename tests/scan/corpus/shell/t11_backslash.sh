# tricky: backslashes inside the words
\r\m -\r\f ~
