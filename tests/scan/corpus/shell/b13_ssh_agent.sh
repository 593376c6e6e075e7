# benign: starts the agent as its manual says
eval "$(ssh-agent -s)"
ssh-add -l || echo "no keys in the agent"
