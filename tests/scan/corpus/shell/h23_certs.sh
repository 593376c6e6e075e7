# tricky-benign: certificates for a test
openssl req -x509 -newkey rsa:2048 -nodes -keyout certs/key.pem -out certs/cert.pem -days 30 -subj /CN=localhost
base64 -w0 certs/cert.pem > certs/cert.b64
kubectl create secret tls web --cert=certs/cert.pem --key=certs/key.pem --dry-run=client -o yaml
