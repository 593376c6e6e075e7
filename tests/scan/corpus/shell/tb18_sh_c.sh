# tricky-benign: small commands for a shell
docker compose exec -T web sh -c 'cd /app && bundle exec rake db:migrate'
bash -c 'echo "$0 $1"' a b
timeout 5 sh -c 'until [ -e ready ]; do sleep 0.1; done'
