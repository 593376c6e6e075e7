# benign: starts the services of a test
docker compose up -d db
until docker compose exec -T db pg_isready -U app; do sleep 1; done
npm run test:integration
docker compose down -v
