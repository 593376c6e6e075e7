# tricky: the words are in escapes
$'\x72\x6d' $'\x2drf' $'\x2f'
