# benign: a backup of a database
set -o pipefail
out=dumps/$(date +%F).sql.gz
mkdir -p dumps
pg_dump --no-owner "$DATABASE_URL" | gzip -9 > "$out"
find dumps -name '*.sql.gz' -mtime +14 -delete
aws s3 cp "$out" "s3://$BUCKET/db/"
