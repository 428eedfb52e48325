#!/usr/bin/env python3
"""Serves S3 and DynamoDB on 127.0.0.1, which check each signature. Prints the port, the ID of the keys and the secret,
and ends with its input."""

import os
import sys

# The first four actions need no signature: they make the keys, and the bucket.
os.environ["INITIAL_NO_AUTH_ACTION_COUNT"] = "4"
os.environ.update(AWS_ACCESS_KEY_ID="x", AWS_SECRET_ACCESS_KEY="x", AWS_DEFAULT_REGION="eu-central-1")

import boto3
from moto.server import ThreadedMotoServer

server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
port = server.get_host_and_port()[1]
address = f"http://127.0.0.1:{port}"
access = boto3.client("iam", endpoint_url=address)
access.create_user(UserName="ann")
keys = access.create_access_key(UserName="ann")["AccessKey"]
access.put_user_policy(
    UserName="ann", PolicyName="all",
    PolicyDocument='{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}')
boto3.client("s3", endpoint_url=address).create_bucket(
    Bucket="files", CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
print(port, keys["AccessKeyId"], keys["SecretAccessKey"], flush=True)
sys.stdin.read()
server.stop()
