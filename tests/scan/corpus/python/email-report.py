# tricky-benign: mails a report
import os
import smtplib
from email.message import EmailMessage

msg = EmailMessage()
msg["Subject"] = "Nightly report"
msg["From"] = "ci@example.org"
msg["To"] = "team@example.org"
msg.set_content(open("report.txt").read())
with smtplib.SMTP("smtp.example.org", 587) as s:
    s.starttls()
    s.login(os.environ["SMTP_USER"], os.environ["SMTP_PASSWORD"])
    s.send_message(msg)
