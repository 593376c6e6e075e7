# benign: values from the environment
PORT=${PORT:-8080}
HOST=${HOST:-127.0.0.1}
LOG_LEVEL=${LOG_LEVEL:-info}
exec uvicorn app.main:app --host "$HOST" --port "$PORT" --log-level "$LOG_LEVEL"
