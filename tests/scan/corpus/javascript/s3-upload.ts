// benign: sends a file to a bucket
import { S3Client, PutObjectCommand } from '@aws-sdk/client-s3';
import { readFile } from 'node:fs/promises';
const s3 = new S3Client({ region: process.env.AWS_REGION });
const Body = await readFile('out/site.zip');
await s3.send(new PutObjectCommand({ Bucket: process.env.BUCKET!, Key: 'site.zip', Body }));
