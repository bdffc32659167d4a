#!/bin/sh
# Write the files that docker-compose.yml, and Kubernetes' Secret, take secrets from; a file that is there stays as it is.
set -eu
folder=${1:-secrets}
mkdir -p "$folder"
# Only you may enter the folder; in it, the files are for the users of the containers, who are not you.
chmod 700 "$folder"
umask 022

random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
write() { test -e "$folder/$1" || printf '%s' "$2" > "$folder/$1"; }

for name in wellread_database_password wellread_redis_password searxng_secret metrics_key; do
    write "$name" "$(random)"
done
write wellread_api_keys "admin:$(random),operate:$(cat "$folder/metrics_key")"
write wellread_webhook_secret "whsec_$(head -c 36 /dev/urandom | base64)"
write flower_basic_auth "operator:$(random)"

# what others gave you, if they did
for name in embedder_api_key anthropic_api_key model_api_key brave_key kagi_key tavily_key exa_key firecrawl_key serper_key mojeek_key marginalia_key rerank_key smtp_url; do
    write "wellread_$name" ""
done
