# benign: makes a report of an API's answers
base=${API_URL:-https://api.example.com}
: > report.csv
for id in $(curl -fsS "$base/items" | jq -r '.[].id'); do
    curl -fsS -H "Authorization: Bearer $API_TOKEN" "$base/items/$id" |
        jq -r '[.id, .name, .price] | @csv' >> report.csv
done
column -s, -t report.csv | head -n 20
