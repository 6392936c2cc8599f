import type { OptionStyle } from "../../../shell/programs/option-words.ts";

const single = { isSingleDash: true } as const;
const kube =
  "-n -f -l -o -c -k -L -s --namespace --filename --selector --output --container --context --cluster --user --kubeconfig --field-selector --sort-by --template --image --replicas --token --server --timeout";
const cloud =
  "--region --profile --output --query --endpoint-url --project --format --account --zone --subscription --resource-group -g -n -o -l --name --location --filter --token --config";
const javaScript =
  "-C -w -F --prefix --cwd --dir --filter --workspace --registry --tag --script-shell --cache --userconfig --globalconfig --loglevel --otp --node-options --call -c --package -p --before --omit --include --store-dir --config --modules-folder --git --init-module --access";
const python =
  "-r -c -i -f -t -e --requirement --constraint --index-url --extra-index-url --find-links --target --prefix --root --editable --trusted-host --proxy --cert --python --cache-dir --log --config-settings --platform --python-version --src --upgrade-strategy --index --default-index --with --from -p --spec --pip-args --global-option --build-option --report";

/** How programs read their options; the ones that are not named read letters in clusters and no values. */
const styles: Readonly<Record<string, OptionStyle>> = {
  git: {
    valued:
      "-C -c --git-dir --work-tree --namespace --super-prefix --config-env --exec-path -m -F -b -B -o -X -S -t --message --file --author --date --strategy --depth --branch --origin --upload-pack --receive-pack --exec -x --reference --template --config --jobs -j --format --pretty --since --until --after --before --grep -n --max-count --max-parents --onto --push-option --repo --source --conflict --expire --separate-git-dir --open-files-in-pager --tool --extcmd --tree-filter --index-filter --env-filter --msg-filter --commit-filter --parent-filter --tag-name-filter --remote --prefix --output --sort --contains --points-at",
  },
  curl: {
    valued:
      "-o -d -F -T -H -X -A -e -u -x -b -c -D -K -m -r -w -y -Y -z -C -E -Q -U -P -t --output --data --data-raw --data-binary --data-urlencode --data-ascii --json --form --form-string --upload-file --header --request --user-agent --referer --user --proxy --cookie --cookie-jar --dump-header --config --max-time --range --write-out --connect-timeout --retry --cacert --cert --key --resolve --url --output-dir --trace --trace-ascii --netrc-file --unix-socket --interface --limit-rate --url-query --connect-to --stderr --hsts --alt-svc --etag-save --etag-compare --libcurl --proxy-user --ciphers --dns-servers --doh-url --mail-from --mail-rcpt --oauth2-bearer --quote --preproxy --socks5 --socks5-hostname --engine --keepalive-time --max-filesize --max-redirs --noproxy --pass --retry-delay --retry-max-time --tls-max --variable --expand-data --expand-url",
  },
  wget: {
    valued:
      "-O -P -o -a -i -B -t -T -w -Q -U -e -A -R -D -I -X -l --output-document --directory-prefix --output-file --append-output --input-file --base --tries --timeout --wait --quota --user-agent --execute --header --post-data --post-file --body-data --body-file --method --referer --user --password --ca-certificate --certificate --private-key --load-cookies --save-cookies --config --use-askpass --limit-rate --accept --reject --domains --level --default-page --bind-address --warc-file --rejected-log",
  },
  tar: {
    valued:
      "-f -C -T -X -I -F -b -g -K -L -N -V -H --file --directory --files-from --exclude --exclude-from --use-compress-program --checkpoint-action --to-command --info-script --new-volume-script --rsh-command --rmt-command --transform --xform --strip-components --owner --group --mode --mtime --format --listed-incremental --newer --label --suffix --warning --index-file --volno-file",
  },
  rsync: {
    valued:
      "-e -f -B -T -M --rsh --rsync-path --exclude --include --exclude-from --include-from --files-from --filter --log-file --password-file --port --temp-dir --partial-dir --backup-dir --suffix --compare-dest --copy-dest --link-dest --bwlimit --max-size --min-size --chmod --chown --usermap --groupmap --out-format --log-file-format --timeout --contimeout --remote-option --info --debug --config --sockopts --address",
  },
  ssh: { valued: "-p -i -l -o -F -J -L -R -D -b -c -E -S -W -B -e -I -m -O -Q -w", stopsAtOperand: true },
  scp: { valued: "-P -i -l -o -F -J -c -S -D -X" },
  sftp: { valued: "-P -i -l -o -F -J -c -S -D -b -B -R -s -X" },
  "ssh-keygen": { valued: "-t -b -f -C -N -P -m -R -F -I -n -s -V -O -D -E -a -Y -z -Z" },
  docker: {
    valued:
      "-H -c -l --host --context --config --log-level -e -u -w -v -p -h -m -f -t --env --user --workdir --name --volume --publish --network --entrypoint --env-file --mount --label --memory --cpus --hostname --platform --file --tag --build-arg --target --restart --gpus --add-host --cap-add --cap-drop --device --pid --ipc --security-opt --userns --uts --filter --format --profile --project-name --project-directory --output --cache-from --cache-to --secret --ssh --runtime --cgroupns --volumes-from --pull --since --tail -n --until --scale --timeout --cgroup-parent --link --dns --ip --ulimit --tmpfs --sysctl --shm-size --log-driver --log-opt",
  },
  kubectl: { valued: kube },
  oc: { valued: kube },
  helm: {
    valued:
      "-n -f -o --namespace --values --set --set-string --set-file --version --repo --kube-context --kubeconfig --timeout --output --username --password --post-renderer --post-renderer-args",
  },
  terraform: single,
  tofu: single,
  terragrunt: single,
  packer: single,
  aws: { valued: cloud },
  gcloud: { valued: cloud },
  az: { valued: cloud },
  gsutil: { valued: "-h -o -u" },
  npm: { valued: javaScript },
  pnpm: { valued: javaScript },
  yarn: { valued: javaScript },
  bun: {
    valued:
      "-e -p -r -c --eval --print --preload --cwd --config --registry --define --outdir --outfile --target --port --filter --backend --env-file",
  },
  npx: {
    valued: "-p -c --package --call --registry -w --workspace --userconfig --prefix --cache",
    stopsAtOperand: true,
  },
  pip: { valued: python },
  pip3: { valued: python },
  uv: { valued: python },
  uvx: { valued: python, stopsAtOperand: true },
  pipx: { valued: python },
  poetry: {
    valued:
      "-C -P -G -E --directory --project --group --extras --source --python -r -u -p --repository --username --password --build",
  },
  cargo: {
    valued:
      "-p -j -C -Z -F --package --manifest-path --target --target-dir --features --profile --bin --example --test --bench --jobs --git --branch --tag --rev --path --version --registry --index --root --config --color --message-format --exclude --token",
  },
  go: single,
  gem: {
    valued:
      "-s -v -i -n -P -p -g --source --version --install-dir --bindir --trust-policy --http-proxy --file --host --key",
  },
  brew: { valued: "" },
  apt: { valued: "-o -c -t -a --option --config-file --target-release --default-release" },
  "apt-get": { valued: "-o -c -t -a --option --config-file --target-release --default-release" },
  find: single,
  gfind: single,
  java: single,
  keytool: single,
  mvn: single,
  mvnw: single,
  openssl: single,
  ffmpeg: single,
  gcc: {
    valued:
      "-o -I -L -l -D -U -x -include -isystem -T -Xlinker -Xassembler -Xpreprocessor -MF -MT -MQ -B -specs -wrapper -fplugin",
  },
  psql: {
    valued:
      "-c -f -d -h -p -U -o -L -v -F -P -R -T --command --file --dbname --host --port --username --output --log-file --set --variable",
  },
  mysql: {
    valued:
      "-e -h -P -u -D -S --execute --host --port --user --database --socket --init-command --defaults-file --tee --pager --protocol -r --delimiter",
  },
  sqlite3: { ...single, valued: "-cmd -init -separator -newline -nullvalue -mmap -maxsize -vfs" },
  mongosh: { valued: "--eval --host --port -u -p --username --password --authenticationDatabase -f --file" },
  "redis-cli": { valued: "-h -p -a -n -u -s -r -i -d -x --user --pass --eval --rdb --pipe-timeout" },
  systemctl: {
    valued:
      "-t -p -H -M -n -o -s --type --property --host --machine --lines --output --signal --state --job-mode --root --what --kill-whom",
  },
  kill: { valued: "-s -n -q --signal --queue --timeout" },
  pkill: {
    valued:
      "-g -G -P -s -t -u -U -F -q -r --signal --pgroup --group --parent --session --terminal --euid --uid --pidfile --queue --ns --nslist --runstates",
  },
  killall: { valued: "-s -u -n -o -y -Z --signal --user --ns --older-than --younger-than --context" },
  fuser: { valued: "-n -k --namespace" },
  crontab: { valued: "-u" },
  chmod: { valued: "--reference" },
  chown: { valued: "--reference --from" },
  rm: {},
  cp: { valued: "-t -S --target-directory --suffix --no-preserve --preserve --sparse --reflink --backup" },
  mv: { valued: "-t -S --target-directory --suffix --backup" },
  ln: { valued: "-t -S --target-directory --suffix --backup" },
  install: {
    valued: "-t -m -o -g -S --target-directory --mode --owner --group --suffix --strip-program --backup --context",
  },
  sed: { valued: "-e -f -l --expression --file --line-length" },
  awk: { valued: "-F -v -f -i -e -E -l -o -p -d --field-separator --assign --file --include --source --load --exec" },
  gawk: { valued: "-F -v -f -i -e -E -l -o -p -d --field-separator --assign --file --include --source --load --exec" },
  sort: {
    valued:
      "-o -k -t -T -S --output --key --field-separator --temporary-directory --buffer-size --compress-program --files0-from --parallel --batch-size --random-source --sort",
  },
  split: {
    valued:
      "-b -C -l -n -a -t --bytes --line-bytes --lines --number --suffix-length --filter --additional-suffix --separator",
  },
  truncate: { valued: "-s -r --size --reference" },
  touch: { valued: "-d -r -t --date --reference --time" },
  mkdir: { valued: "-m --mode --context" },
  shred: { valued: "-n -s --iterations --size --random-source" },
  tee: {},
  dd: {},
  nc: { valued: "-e -c -g -G -i -o -p -q -s -T -w -X -x -I -O -P -m -M -W -V" },
  ncat: {
    valued:
      "-e -c -g -G -i -o -p -s -w -x -m --exec --sh-exec --lua-exec --output --source --wait --proxy --proxy-type --proxy-auth --allow --deny --ssl-cert --ssl-key --max-conns",
  },
  grep: {
    valued:
      "-e -f -m -A -B -C -D -d --regexp --file --max-count --after-context --before-context --context --include --exclude --exclude-dir --exclude-from --color --label --binary-files --devices --directories",
  },
  rg: {
    valued:
      "-e -f -g -t -T -m -A -B -C -M -d -j -E -r --regexp --file --glob --iglob --type --type-not --type-add --max-count --pre --pre-glob --hostname-bin --replace --max-depth --sort --sortr --color --colors --context-separator --encoding --engine --ignore-file --max-columns --max-filesize --path-separator --threads",
  },
  man: {
    valued:
      "-P -H -M -S -s -L -m -R -C -E -p -r -e --pager --html --manpath --sections --locale --systems --recode --config-file --encoding --preprocessor --prompt --extension",
  },
  less: { valued: "-b -h -j -k -o -O -p -P -t -T -x -y -z" },
  php: { valued: "-S -t -d -r -f -c -B -R -F -E -z" },
  vim: { valued: "-c -S -u -U -i -T -w -W -t -d -P --cmd --servername --remote-send --remote-expr" },
  make: {
    valued:
      "-f -C -I -o -W -j -l --file --makefile --directory --include-dir --eval --jobs --load-average --old-file --new-file --what-if --output-sync",
  },
  cmake: {
    valued:
      "-S -B -G -D -C -P -E -T -A -U --build --install --preset --target --config --prefix --toolchain -j --parallel --component --graphviz --trace-redirect",
  },
  zip: { valued: "-b -i -x -n -t -P -TT -O -o -s --temp-path --include --exclude --unzip-command --password --out" },
  unzip: { valued: "-d -x -P -O -I" },
  patch: {
    valued:
      "-i -o -d -p -D -F -B -r -Y -z -V -g --input --output --directory --strip --ifdef --fuzz --prefix --reject-file --basename-prefix --suffix --version-control --get",
  },
  gpg: {
    valued:
      "-o -r -u -a --output --recipient --local-user --homedir --keyserver --passphrase --passphrase-file --passphrase-fd --batch --status-fd --command-fd --options --default-key --keyring --trust-model --pinentry-mode --photo-viewer --exec-path",
  },
  csplit: { valued: "-f -b -n --prefix --suffix-format --digits" },
  logger: { valued: "-n -P -p -t -i -f --server --port --priority --tag --file --id" },
  mosquitto_pub: { valued: "-h -p -t -f -m -u -P -q -i --cafile --cert --key" },
  nmcli: { valued: "-f -t -m -g" },
  rustup: {},
  rustc: { valued: "-C -L -l -o -Z -A -W -D --edition --crate-type --crate-name --emit --target --cfg --extern" },
  perf: { valued: "-e -p -t -o -i -F -C -s" },
  strace: { valued: "-o -e -p -s -u -E -a -b -I -O -P -S -X --output" },
  tcpdump: { valued: "-i -w -r -c -C -G -W -z -Z -F -s -E -T -m -y -B -V --interface --postrotate-command" },
  "docker-compose": {
    valued:
      "-f -p --file --project-name --profile --env-file --project-directory -v --scale --timeout -t --tail --index -e -u -w",
  },
  pg_dump: {
    valued:
      "-f -d -h -p -U -n -t -F -j -Z -N -T -E -S --file --dbname --host --port --username --schema --table --format --jobs --compress",
  },
  hermes: { valued: "-q -m -p -r -c --model --provider --profile --query --resume --toolsets -t --skills -s" },
  ip: { valued: "-n -b -f -rc --netns --batch --family" },
  mount: { valued: "-t -o -L -U -O --types --options --source --target --label --uuid" },
  unshare: { valued: "-S -G -R -w --setuid --setgid --root --wd --map-user --map-group --propagation" },
  screen: { valued: "-S -c -e -h -p -s -t -T -X" },
  tmux: { valued: "-L -S -f -c -T -s -n -t -x -y -F -e" },
  rclone: {
    valued:
      "--config --transfers --checkers --bwlimit --include --exclude --filter --files-from --log-file --max-age --min-age --drive-root-folder-id",
  },
  gh: {
    valued:
      "-R -X -f -F -H -b -t -B -a -l -m -r -q -L -s -d -n -c -p -w -e -S --repo --method --field --raw-field --header --body --title --base --assignee --label --milestone --reviewer --jq --template --limit --state --description --notes --notes-file --body-file --head --hostname --input --json --author --search --visibility",
  },
  ansible: {
    valued:
      "-m -a -i -e -l -f -u -M -c -B -P -o -t -T --module-name --args --inventory --extra-vars --limit --forks --user --become-user --connection --vault-password-file",
  },
  "ansible-playbook": {
    valued:
      "-i -e -l -f -u -M -c -t -T --inventory --extra-vars --limit --forks --user --become-user --connection --tags --skip-tags --start-at-task --vault-password-file",
  },
  xterm: single,
};

const aliases: Readonly<Record<string, string>> = {
  "g++": "gcc",
  cc: "gcc",
  "c++": "gcc",
  clang: "gcc",
  "clang++": "gcc",
  podman: "docker",
  nerdctl: "docker",
  mariadb: "mysql",
  mawk: "awk",
  nawk: "awk",
  gsed: "sed",
  gtar: "tar",
  bsdtar: "tar",
  netcat: "nc",
  vi: "vim",
  nvim: "vim",
  view: "vim",
  ex: "vim",
  gmake: "make",
  gpg2: "gpg",
  egrep: "grep",
  fgrep: "grep",
  bunx: "npx",
  pnpx: "npx",
  gxargs: "xargs",
  opentofu: "tofu",
  aria2c: "wget",
};

const plain: OptionStyle = {};

export function styleOf(name: string): OptionStyle {
  const known = Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name;
  return (Object.hasOwn(styles, known) ? styles[known] : undefined) ?? plain;
}
