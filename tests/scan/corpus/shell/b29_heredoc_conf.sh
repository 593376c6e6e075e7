# benign: writes a configuration of the project
cat > nginx/site.conf <<EOF
server {
    listen 80;
    server_name ${DOMAIN:-localhost};
    location / { proxy_pass http://app:8080; }
}
EOF
