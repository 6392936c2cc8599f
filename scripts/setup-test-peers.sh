#!/usr/bin/env bash
# Installs the real programs that tests talk to (Debian and its relatives, as root).
# Tests that need a missing program say so and are skipped; with this script none is missing.
set -euo pipefail

packages=(git tmux ripgrep bubblewrap openssh-client openssh-server podman runc catatonit postgresql postgresql-contrib chromium python3 procps)
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "Test peers are installed."
  exit 0
fi
if ! command -v apt-get >/dev/null 2>&1 || [ "$(id -u)" -ne 0 ]; then
  echo "Not installed and cannot be from here (needs apt-get and root): ${missing[*]}" >&2
  exit 0
fi
echo "Installing: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
apt-get -o DPkg::Lock::Timeout=300 update -qq
apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
