# benign: decodes a certificate
mkdir -p certs
echo "$TLS_CERT_B64" | base64 -d > certs/server.pem
openssl x509 -in certs/server.pem -noout -dates
