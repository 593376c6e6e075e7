# benign: a token from a file of the project
TOKEN=$(cat .secrets/api_token)
curl -fsS -H "Authorization: Bearer $TOKEN" https://api.example.com/v1/jobs -d @job.json | jq .id
