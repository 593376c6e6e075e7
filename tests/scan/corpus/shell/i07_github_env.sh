# benign: passes values between steps
echo "VERSION=$(cat VERSION)" >> "$GITHUB_ENV"
echo "$PWD/tools/bin" >> "$GITHUB_PATH"
export $(grep -v '^#' .env.example | xargs)
