# benign: adds a source of packages as its manual says
curl -fsSL https://download.example.com/linux/debian/gpg | sudo gpg --dearmor -o /usr/share/keyrings/example.gpg
echo "deb [signed-by=/usr/share/keyrings/example.gpg] https://download.example.com/linux/debian bookworm stable" |
    sudo tee /etc/apt/sources.list.d/example.list > /dev/null
sudo apt-get update && sudo apt-get install -y example-ce
