import { keys } from "../../keys.ts";
import { type RiskRow, row } from "./row.ts";

const containers: readonly RiskRow[] = [
  row(keys.container, "docker podman nerdctl", {
    sub: "system prune/reset, volume rm/remove/prune, network rm/remove/prune, image prune, images prune, container prune, builder prune, buildx prune, swarm leave, stack rm, service rm, node rm, secret rm, config rm, machine rm, pod rm, plugin install",
  }),
  row(keys.container, "docker podman nerdctl", {
    sub: "rm, stop, kill, pause, container rm/stop/kill/pause, pod stop/kill, compose kill/pause",
  }),
  row(keys.container, "docker podman nerdctl", { sub: "rmi, image rm", any: "-f --force -v --volumes" }),
  row(keys.container, "docker podman nerdctl docker-compose", {
    sub: "compose down, down, compose rm, rm",
    any: "-v --volumes --rmi",
  }),
  row(keys.privilege, "docker podman nerdctl docker-compose", {
    any: "--privileged --cap-add --device --device-cgroup-rule --volumes-from",
  }),
  row(keys.privilege, "docker podman nerdctl", {
    any: "--pid --ipc --uts --userns --cgroupns --network --net --security-opt",
    operand: /^(?:host|container:.*|seccomp=unconfined|apparmor[=:]unconfined|label[=:]disable)$/,
  }),
  row(keys.send, "docker podman nerdctl buildah skopeo crane oras", {
    sub: "push, image push, manifest push, copy, sync, compose push",
  }),
  row(
    keys.container,
    "buildah crictl ctr lxc incus multipass vagrant minikube kind k3d colima limactl virsh VBoxManage qm pct",
    {
      sub: "~rm, ~rmi, ~delete, ~destroy, ~prune, ~purge, ~undefine, ~unregistervm, ~reset, ~remove, ~rollback, ~poweroff, ~controlvm",
    },
  ),
];

const clouds: readonly RiskRow[] = [
  row(keys.cloud, "kubectl oc", {
    sub: "delete, drain, edit, patch, taint, replace, cp, certificate approve, auth reconcile, debug, config set/set-credentials/set-cluster/delete-context/delete-cluster/unset, create clusterrolebinding/rolebinding/clusterrole/role/serviceaccount/token/secret, adm",
    unless: "--dry-run",
  }),
  row(keys.cloud, "kubectl oc", { sub: "apply", any: "--force --prune" }),
  row(keys.cloud, "kubectl oc", { sub: "scale", any: "--replicas", operand: /^0$/ }),
  row(keys.cloud, "kubectl oc", { sub: "run", any: "--privileged --overrides" }),
  row(keys.cloud, "helm", { sub: "uninstall, delete, del, un, rollback, plugin install, push", unless: "--dry-run" }),
  row(keys.cloud, "terraform tofu terragrunt pulumi cdk cdktf sst serverless sls sam eksctl kops", {
    sub: "destroy, remove, rm, down, ~delete, ~destroy, state rm/push/mv/replace-provider, taint, force-unlock, workspace delete",
  }),
  row(keys.cloud, "terraform tofu terragrunt pulumi cdk", {
    sub: "apply, up, update, refresh, run-all",
    any: "-auto-approve --auto-approve --yes -y -destroy --destroy --skip-preview",
  }),
  row(
    keys.cloud,
    "aws gcloud az doctl linode-cli hcloud scw ibmcloud oci openstack gsutil s3cmd s5cmd mc b2 heroku fly flyctl vercel netlify " +
      "railway firebase wrangler supabase pscale neonctl amplify stripe auth0 databricks",
    {
      sub: "~delete, ~terminate, ~destroy, ~remove, ~rm, ~rb, ~purge, ~del, ~drop, ~stop, ~reboot, ~reset, ~revoke, ~detach, ~disable, ~deregister, ~undeploy, ~unset, ~flush, ~empty, ~wipe, ~deactivate, ~suspend, ~shutdown, ~kill, ~failover",
    },
  ),
  row(keys.cloud, "aws gcloud az", {
    sub: "~put-bucket-policy, ~put-bucket-acl, ~put-object-acl, ~create-access-key, ~create-user, ~attach-user-policy, ~attach-role-policy, ~put-user-policy, ~put-role-policy, ~create-login-profile, ~update-assume-role-policy, ~add-user-to-group, ~authorize-security-group-ingress, ~run-instances, ~update-function-code, ~send-command, ~add-iam-policy-binding, ~set-iam-policy, ~modify-db-instance, ~update-stack",
  }),
  row(keys.secret, "aws gcloud az", {
    sub: "~get-secret-value, ~get-parameter, ~get-parameters, ~decrypt, ~print-access-token, ~print-identity-token, ~get-access-token, ~get-session-token, ~export-credentials",
  }),
  row(keys.cloud, "gh", {
    sub: "repo delete/archive/edit/rename, release delete/delete-asset, issue delete, secret set/delete/remove, variable delete, ssh-key add/delete, gpg-key add/delete, workflow disable, run delete, cache delete, gist delete, label delete, codespace delete, project delete, repo deploy-key, alias set/import/delete, config set",
  }),
  row(keys.cloud, "gh glab", { sub: "pr merge, mr merge", any: "--admin" }),
  row(keys.secret, "gh", { sub: "auth token/refresh/logout/setup-git" }),
  row(keys.cloud, "gh glab", { sub: "api", any: "-X --method --input", operand: /^(?:DELETE|PUT|PATCH|POST|\/.*)$/i }),
  row(keys.cloud, "glab", {
    sub: "repo delete/archive/transfer, project delete, release delete, variable delete, ssh-key add/delete",
  }),
  row(keys.cloud, "vault consul etcdctl nomad", {
    sub: "~delete, ~destroy, ~del, ~rm, ~revoke, ~put, ~write, ~disable, ~seal, ~rekey, ~stop, ~purge, ~leave, ~force-leave",
  }),
  row(keys.cloud, "ansible salt pssh pdsh clush dsh parallel-ssh", { unless: "--list-hosts" }),
  row(keys.cloud, "skaffold helmfile werf okteto garden kapp tanka tk kluctl devspace nomad-pack waypoint", {
    sub: "run, deploy, apply, sync, converge, delete, destroy, dismiss, purge, install, bootstrap",
    unless: "--dry-run",
  }),
  row(keys.cloud, "argocd flux argo velero kubeadm", {
    sub: "~delete, ~reset, ~uninstall, ~rollback, ~terminate, ~suspend, ~purge",
  }),
];

const database: readonly RiskRow[] = [
  row(
    keys.database,
    "dropdb dropuser pg_resetwal pg_resetxlog pg_dropcluster mysql_install_db mongorestore createuser",
  ),
  row(keys.database, "pg_restore", { any: "-c --clean -C --create" }),
  row(keys.database, "mysqladmin", { sub: "drop, shutdown, flush-privileges, password, kill, flush-tables, reload" }),
  row(
    keys.database,
    "rails rake artisan php mix alembic knex sequelize prisma typeorm django-admin manage.py python python3 bundle npx drizzle-kit",
    {
      operand:
        /^(?:db:(?:drop|reset|purge|migrate:reset|schema:load|truncate_all|rollback|seed:replant)|migrate:(?:fresh|reset|refresh|rollback)|db:wipe|ecto\.(?:drop|reset|rollback)|flush|reset_db|schema:drop|db:migrate:undo:all)$/,
    },
  ),
  row(keys.database, "prisma", { sub: "migrate reset, db push, db execute" }),
  row(keys.database, "alembic dbmate goose migrate sqlx diesel flyway liquibase", {
    sub: "downgrade, drop, down, reset, redo, down-to, database drop/reset, clean, dropAll, rollback",
  }),
  row(keys.database, "redis-cli keydb-cli valkey-cli", {
    operand:
      /^(?:flushall|flushdb|shutdown|config|del|unlink|debug|eval|evalsha|script|slaveof|replicaof|migrate|restore|acl|module|cluster|failover|swapdb|save|bgsave|client|sync|psync)$/i,
  }),
  row(keys.database, "kafka-topics kafka-topics.sh kafka-configs rabbitmqadmin nodetool influx neo4j-admin cockroach", {
    operand: /^(?:--delete|--alter|delete|purge|drop|decommission|removenode|clearsnapshot|restore)$/,
  }),
  row(keys.database, "kafka-topics kafka-topics.sh", { any: "--delete --alter" }),
];

const network: readonly RiskRow[] = [
  row(
    keys.send,
    "mail mailx mutt neomutt sendmail msmtp swaks ssmtp exim exim4 mpack sendemail s-nail telegram-send slack-cli pastebinit sprunge " +
      "wgetpaste ffsend croc wormhole magic-wormhole onionshare-cli qrcp gdrive dropbox megaput mega-put megatools tftp ncftpput wput " +
      "cadaver smbclient bitsadmin",
    { unless: "list ls recv receive get -L status" },
  ),
  row(keys.send, "rclone", {
    unless: "ls lsd lsl lsf lsjson size version help listremotes about check tree ncdu md5sum sha1sum",
  }),
  row(keys.send, "aws gsutil s3cmd s5cmd mc b2 az gcloud oci azcopy", {
    sub: "~cp, ~mv, ~sync, ~put, ~put-object, ~upload, ~upload-batch, ~upload-file, ~rsync, ~mirror, ~pipe, ~copy, ~presign, ~publish, ~share, ~send-message, ~scp",
  }),
  row(keys.send, "gh glab", { sub: "gist create/edit, release upload, snippet create" }),
  row(keys.send, "kubectl oc", { sub: "cp" }),
  row(
    keys.backdoor,
    "ngrok cloudflared chisel frpc frps bore localtunnel lt pagekite inlets rathole gost gs-netcat pwncat msfconsole msfvenom tmate " +
      "ttyd gotty wetty sshuttle dropbear telnetd in.telnetd rshd vncserver x11vnc Xvnc xrdp tightvncserver teamviewer anydesk rustdesk " +
      "code-server openvscode-server microsocks 3proxy tinyproxy iodine dnscat dnscat2 ptunnel proxytunnel corkscrew stunnel stunnel4 " +
      "icmptunnel hydra medusa ncrack patator john hashcat sqlmap nikto gobuster dirb wfuzz ffuf aircrack-ng wifite responder " +
      "crackmapexec netexec mimikatz evil-winrm linpeas.sh linpeas setoolkit",
  ),
  row(keys.backdoor, "code code-insiders", { sub: "tunnel, serve-web" }),
  row(keys.backdoor, "ssh autossh", { any: "-R -D -w -W" }),
  row(keys.secret, "pass gopass op bw lpass keepassxc-cli kwallet-query keyring secret-tool security vault", {
    sub: "show, get, read, item, export, dump, unlock, clip, lookup, dump-keychain, find-generic-password, find-internet-password, kv get, signin, list",
  }),
  row(keys.secret, "gpg gpg2", {
    any: "--export-secret-keys --export-secret-subkeys --delete-secret-keys --delete-keys --delete-secret-and-public-key --import --edit-key --recv-keys --send-keys --refresh-keys --gen-revoke --quick-set-expire --change-passphrase --passwd --export-ownertrust --import-ownertrust --quick-add-uid",
  }),
  row(
    keys.secret,
    "tcpdump tshark dumpcap ngrep tcpflow mitmproxy mitmdump showkey evtest logkeys xwd scrot maim grim screencapture",
    {
      unless: "-D -r list --list",
    },
  ),
];

const files: readonly RiskRow[] = [
  row(
    keys.bulkDelete,
    "rimraf del-cli trash trash-put trash-empty gvfs-trash srm wipe sfill bleachbit tmpreaper tmpwatch kondo npkill rd erase rip",
    { unless: "-n --dry-run" },
  ),
  row(keys.bulkDelete, "gio", { sub: "trash, remove, move, rename" }),
  row(keys.bulkDelete, "fdupes jdupes rdfind rmlint", { any: "-d --delete -N -deleteduplicates" }),
  row(keys.fileLoss, "rsync", {
    any: "--delete --delete-before --delete-during --delete-after --delete-delay --delete-excluded --delete-missing-args --remove-source-files --del",
  }),
  row(keys.fileLoss, "tar gtar bsdtar", { any: "--remove-files --delete --recursive-unlink --unlink-first -U" }),
  row(keys.fileLoss, "zip", { any: "-m -d --move --delete" }),
  row(keys.fileLoss, "7z 7za 7zr", { operand: /^d$|^-sdel$/ }),
  row(keys.fileLoss, "7z 7za 7zr", { any: "-s -sdel" }),
  row(keys.fileLoss, "mogrify rename prename file-rename mmv zmv detox convmv", {
    unless: "-n --dry-run --no-act --nono -N",
  }),
  row(keys.fileLoss, "logrotate", { any: "-f --force" }),
  row(keys.fileLoss, "ccrypt mcrypt aescrypt ccencrypt"),
  row(keys.fileLoss, "history", { any: "-c -d -w" }),
];

/** What reaches beyond the machine, or takes away what services keep. */
export const serviceRisks: readonly RiskRow[] = [...containers, ...clouds, ...database, ...network, ...files];
