# tricky-benign: uploads with the cloud's library
import os
import boto3

s3 = boto3.client("s3", region_name=os.environ.get("AWS_REGION", "eu-central-1"))
s3.upload_file("report.pdf", os.environ["REPORT_BUCKET"], "reports/report.pdf")
