# benign: a backup of the project
stamp=$(date +%Y%m%d-%H%M%S)
mkdir -p backups
tar --exclude=node_modules --exclude=.git -czf "backups/project-$stamp.tar.gz" .
ls -1t backups/*.tar.gz | tail -n +8 | xargs -r rm -f
