# benign: settings from the environment
import os
from dataclasses import dataclass
from dotenv import load_dotenv

load_dotenv()

@dataclass(frozen=True)
class Settings:
    database_url: str = os.environ.get("DATABASE_URL", "sqlite:///app.db")
    secret_key: str = os.environ.get("SECRET_KEY", "dev")
    debug: bool = os.getenv("DEBUG", "0") == "1"

print(Settings().debug)
