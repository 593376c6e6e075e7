# benign: logs into the project
import logging
import logging.handlers
import os

os.makedirs("logs", exist_ok=True)
handler = logging.handlers.RotatingFileHandler("logs/app.log", maxBytes=1 << 20, backupCount=3)
logging.basicConfig(level=os.environ.get("LOG_LEVEL", "INFO"), handlers=[handler])
logging.info("started, pid %d", os.getpid())
