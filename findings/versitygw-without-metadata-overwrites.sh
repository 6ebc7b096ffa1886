#!/usr/bin/env bash
# versitygw in front of a folder, started with --nometa (for file systems without extended attributes), accepts a put
# with "If-None-Match: *" although there is an object of that name, answers 200, and overwrites it. With metadata, in
# extended attributes or beside the folder (--sidecar), it answers 412, as S3 does. The header is no metadata of an
# object, and its help says of --nometa only that metadata is not stored; so one would have guessed that the condition
# holds, or that a put that it cannot keep is refused. A client that takes the name of an object for a lock, as
# put-if-absent is used, has no lock here, and is told that it has.
set -euo pipefail
folder=$(mktemp -d)
server=
trap 'kill $server 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
GOBIN="$folder" GOFLAGS=-mod=mod go install github.com/versity/versitygw/cmd/versitygw@v1.8.0
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check obstore==0.12.1
cat > puts.py <<'END'
import obstore, sys
from obstore.store import S3Store

store = S3Store(
    "bucket", endpoint=sys.argv[1], access_key_id="key", secret_access_key="of-this-script", region="us-east-1",
    client_options={"allow_http": True},
)
for content in (b"first", b"second"):
    try:
        obstore.put(store, "name", content, mode="create", use_multipart=False)
        print("200", end=" ")
    except obstore.exceptions.AlreadyExistsError:
        print("412", end=" ")
print(bytes(obstore.get(store, "name").bytes()).decode())
END
go version -m versitygw | awk '$1 == "mod" {print $2, $3}'
venv/bin/pip list --disable-pip-version-check 2>/dev/null | grep '^obstore '
status=0
for options in --nometa --sidecar; do
    rm -rf data side && mkdir -p data/bucket side
    words=$options; [ $options = --sidecar ] && words="--sidecar $folder/side"
    port=$(python3 -c 'import socket; one = socket.socket(); one.bind(("127.0.0.1", 0)); print(one.getsockname()[1])')
    ./versitygw --access key --secret of-this-script --port "127.0.0.1:$port" --quiet posix $words "$folder/data" >server.log 2>&1 &
    server=$!
    for _ in $(seq 100); do (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break; sleep 0.1; done
    seen=$(venv/bin/python puts.py "http://127.0.0.1:$port")
    kill $server; wait $server 2>/dev/null || true
    echo "$options: two puts with If-None-Match: *, then the object: $seen"
    case $options in --nometa) expected="200 200 second" ;; *) expected="200 412 first" ;; esac
    [ "$seen" = "$expected" ] || status=1
done
[ $status = 0 ] || echo "This has changed."
exit $status
