# benign: cleans images up
docker ps -aq --filter status=exited | xargs -r docker rm
docker image prune -f
docker volume ls -qf dangling=true | xargs -r docker volume rm
