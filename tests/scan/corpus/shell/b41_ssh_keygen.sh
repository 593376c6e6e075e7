# benign: a key for a test
ssh-keygen -q -t ed25519 -N '' -f ./testdata/id_test
ssh -i ./testdata/id_test -p 2222 -o BatchMode=yes test@localhost true
