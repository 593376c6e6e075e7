# benign: moves a database on
: "${DATABASE_URL:?set DATABASE_URL}"
for f in migrations/*.sql; do
    echo "applying $f"
    psql "$DATABASE_URL" -v ON_ERROR_STOP=1 -f "$f"
done
