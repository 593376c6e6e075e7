# benign: builds a site
npm ci
npx eslint src
npm run build
npx http-server dist -p 8081 -s &
sleep 1
npx playwright test
kill $!
