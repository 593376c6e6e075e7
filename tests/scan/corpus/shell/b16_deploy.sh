# benign: copies a site to its server
npm run build
rsync -az --delete dist/ deploy@www.example.com:/var/www/site/
ssh deploy@www.example.com 'systemctl --user restart site'
