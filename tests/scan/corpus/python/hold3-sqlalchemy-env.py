# benign: a database by an address of the environment
import os
from sqlalchemy import create_engine, text

engine = create_engine(os.environ["DATABASE_URL"])
with engine.begin() as c:
    print(c.execute(text("select count(*) from users")).scalar())
