#!/usr/bin/env bash
# rfc3161-client 1.0.9 cannot decode an answer of `openssl ts` that includes the chain of the authority: "InvalidSetOrdering".
# OpenSSL writes the certificates in the order in which it has them, that of the authority first. RFC 5652 section 5.1
# lets CMS be BER, where a SET has no order; the library reads it as DER, where it is sorted. One would have guessed that
# what OpenSSL makes and verifies can be decoded; rfc3161ng and asn1crypto decode it. Without the chain, all three do.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q rfc3161-client==1.0.9 rfc3161ng==2.1.3 asn1crypto==1.5.1
openssl version
cat > tsa.cnf <<'END'
[req]
distinguished_name = name
[name]
[tsa_extensions]
basicConstraints = critical, CA:false
extendedKeyUsage = critical, timeStamping
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
[tsa]
default_tsa = here
[here]
serial = serial
crypto_device = builtin
signer_cert = authority.pem
signer_key = authority.key
certs = root.pem
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
END
echo 01 > serial
openssl req -x509 -newkey rsa:2048 -nodes -keyout root.key -out root.pem -days 9 -subj "/CN=Root" -config tsa.cnf -addext "basicConstraints=critical,CA:true" 2>/dev/null
openssl req -newkey rsa:2048 -nodes -keyout authority.key -out authority.csr -subj "/CN=A time-stamping authority with a long name" -config tsa.cnf 2>/dev/null
openssl x509 -req -in authority.csr -CA root.pem -CAkey root.key -CAcreateserial -days 9 -extfile tsa.cnf -extensions tsa_extensions -out authority.pem 2>/dev/null
echo text > text
openssl ts -query -data text -sha256 -cert -out query 2>/dev/null
openssl ts -reply -queryfile query -config tsa.cnf -out with-chain 2>/dev/null
sed -i '/^certs/d' tsa.cnf
openssl ts -reply -queryfile query -config tsa.cnf -out without-chain 2>/dev/null
openssl ts -verify -in with-chain -data text -CAfile root.pem 2>&1 | tail -1
cat > decode.py <<'END'
import sys
import rfc3161ng
from asn1crypto import tsp
from rfc3161_client import decode_timestamp_response

def one(name, decode, content):
    try:
        decode(content)
    except ValueError as error:
        print(f"  {name}: {str(error)[:70]}…")
        return False
    print(f"  {name}: decoded")
    return True

seen = {}
for path in ("without-chain", "with-chain"):
    print(path)
    content = open(path, "rb").read()
    seen[path] = [
        one("rfc3161-client", decode_timestamp_response, content),
        one("rfc3161ng", rfc3161ng.decode_timestamp_response, content),
        one("asn1crypto", lambda given: tsp.TimeStampResp.load(given).native, content),
    ]
expected = {"without-chain": [True, True, True], "with-chain": [False, True, True]}
sys.exit(seen != expected)
END
venv/bin/python decode.py || { echo "The behaviour has changed."; exit 1; }
