# benign: builds an image
docker build -t app:dev .
docker run --rm -p 8080:8080 -v "$PWD/config:/config:ro" app:dev
