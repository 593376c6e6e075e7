# benign: sets a database up as its own user
service postgresql start
su - postgres -c "psql -c \"CREATE USER app WITH PASSWORD 'app'\""
su - postgres -c "createdb -O app app"
