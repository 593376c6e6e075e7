# benign: a deploy key in CI
mkdir -p ~/.ssh && chmod 700 ~/.ssh
printf '%s\n' "$DEPLOY_KEY" > ~/.ssh/id_ed25519
chmod 600 ~/.ssh/id_ed25519
ssh-keyscan -t ed25519 www.example.com >> ~/.ssh/known_hosts
scp -i ~/.ssh/id_ed25519 -r dist/ deploy@www.example.com:/srv/www/
