# benign: tells a chat that the build is done
payload=$(jq -n --arg text "Build $BUILD_ID: $STATUS" '{text: $text}')
curl -fsS -X POST -H 'Content-Type: application/json' -d "$payload" "$SLACK_WEBHOOK_URL"
