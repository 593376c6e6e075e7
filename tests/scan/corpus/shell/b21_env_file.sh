# benign: reads the settings of the project
set -a
. ./.env
set +a
exec node server.js
