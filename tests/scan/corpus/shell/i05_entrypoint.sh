# benign: the start of a container
#!/bin/sh
set -e
if [ "$1" = serve ]; then
    shift
    python manage.py migrate --noinput
    set -- gunicorn app.wsgi -b 0.0.0.0:8000 "$@"
fi
exec "$@"
