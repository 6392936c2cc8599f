#!/usr/bin/env bash
# Installs the real programs that tests talk to (Debian and its relatives, as root).
# Tests that need a missing program say so and are skipped; with this script none is missing.
set -euo pipefail

# A real model and the engine that runs it, in a cache folder, whatever happens below; a second run finds them there.
trap 'node "$(dirname "$0")/setup-local-model.mjs"' EXIT

packages=(git tmux ripgrep bubblewrap openssh-client openssh-server podman runc catatonit postgresql postgresql-contrib chromium python3 procps postfix dovecot-imapd dovecot-lmtpd)
# The official Python client of OpenAI, in a folder of its own; api-server tests find it there.
client=/opt/hermes-test-peers/python
if [ ! -x "$client/bin/python" ] && [ "$(id -u)" -eq 0 ] && python3 -c 'import ensurepip' 2>/dev/null; then
  { python3 -m venv "$client" && "$client/bin/pip" install -q openai==3.49.0; } >/dev/null 2>&1 || rm -rf "$client"
fi
# A real Matrix server, in a folder of its own too: Debian 12 has none.
synapse=/opt/hermes-test-peers/synapse
if [ ! -x "$synapse/bin/python" ] && [ "$(id -u)" -eq 0 ] && python3 -c 'import ensurepip' 2>/dev/null; then
  echo "Installing: Synapse"
  { python3 -m venv "$synapse" && "$synapse/bin/pip" install -q matrix-synapse==1.163.2; } >/dev/null 2>&1 || rm -rf "$synapse"
fi
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
peers=/opt/hermes-test-peers
needs_apptainer=yes
if command -v apptainer >/dev/null 2>&1 || [ -x "$peers/apptainer" ]; then needs_apptainer=; fi
if [ ${#missing[@]} -eq 0 ] && [ -z "$needs_apptainer" ]; then
  echo "Test peers are installed."
  exit 0
fi
if ! command -v apt-get >/dev/null 2>&1 || [ "$(id -u)" -ne 0 ]; then
  echo "Not installed and cannot be from here (needs apt-get and root): ${missing[*]} ${needs_apptainer:+apptainer}" >&2
  exit 0
fi
export DEBIAN_FRONTEND=noninteractive
apt-get -o DPkg::Lock::Timeout=300 update -qq
if [ ${#missing[@]} -gt 0 ]; then
  echo "Installing: ${missing[*]}"
  # Tests start a mail server with a configuration of their own; the machine gets none.
  echo "postfix postfix/main_mailer_type select No configuration" | debconf-set-selections
  apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

# Debian 12 has no apptainer. That of a newer Debian runs in a root of its own, unpacked and not installed.
unpack_apptainer() {
  local work mirror suite=sid
  work=$(mktemp -d)
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
  : >"$work/status"
  # From wherever this machine has its packages.
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' 'Label: Debian' | sed -n 1p)
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$work/sources.list"
  cat >"$work/apt.conf" <<CONF
Dir::State "$work";
Dir::State::status "$work/status";
Dir::State::lists "$work/lists";
Dir::Cache "$work/cache";
Dir::Etc::sourcelist "$work/sources.list";
Dir::Etc::sourceparts "-";
Dir::Etc::preferencesparts "-";
APT::Install-Recommends "false";
Acquire::Languages "none";
CONF
  APT_CONFIG="$work/apt.conf" apt-get update -qq
  APT_CONFIG="$work/apt.conf" apt-get install -y -qq --download-only apptainer bash coreutils util-linux >/dev/null
  rm -rf "$peers/root"
  mkdir -p "$peers/root"
  for package in "$work"/cache/archives/*.deb; do dpkg-deb -x "$package" "$peers/root"; done
  mkdir -p "$peers"/root/{tmp,proc,sys,dev,run}
  cp -L /etc/passwd /etc/group /etc/resolv.conf /etc/hosts /etc/localtime "$peers/root/etc/"
  sed -i 's/^root default capabilities.*/root default capabilities = no/' "$peers/root/etc/apptainer/apptainer.conf"
  rm -rf "$work"
  cat >"$peers/apptainer.new" <<RUN
#!/bin/sh
exec bwrap --bind $peers/root / --dev-bind /dev /dev --proc /proc --ro-bind /sys /sys --bind /tmp /tmp --bind /run /run --cap-add ALL --chdir / /usr/bin/apptainer "\$@"
RUN
  chmod 755 "$peers/apptainer.new"
  mv "$peers/apptainer.new" "$peers/apptainer"
}
if [ -n "$needs_apptainer" ]; then
  echo "Unpacking: apptainer"
  unpack_apptainer || echo "apptainer could not be fetched; its tests say so and are skipped." >&2
fi
