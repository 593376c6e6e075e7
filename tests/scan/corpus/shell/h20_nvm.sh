# benign: a node version as its manual says
export NVM_DIR="$HOME/.nvm"
[ -s "$NVM_DIR/nvm.sh" ] && . "$NVM_DIR/nvm.sh"
nvm install --lts
corepack enable
pnpm install --frozen-lockfile
pnpm -r test
