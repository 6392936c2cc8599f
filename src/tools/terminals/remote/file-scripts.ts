/**
 * What the file programs of a terminal elsewhere do; POSIX shell, for GNU, busybox and BSD tools. The path is the first argument
 * and is never part of the text. A failure is one line on the standard error, `hermes-error CODE`, with the system's name for it.
 */
const fail = `
fail() { echo "hermes-error $1 $2" >&2; exit 9; }
export LC_ALL=C
`;

/** Says its size first. Argument: most bytes. */
export const read = `${fail}
[ -e "$1" ] || fail ENOENT
[ -d "$1" ] && fail EISDIR
[ -r "$1" ] || fail EACCES
size=$(stat -Lc %s -- "$1" 2>/dev/null || stat -Lf %z -- "$1" 2>/dev/null || echo 0)
[ "$size" -gt "$2" ] && fail ETOOLARGE "$size"
echo "hermes-size $size" >&2
cat -- "$1"
`;

/** Whole or not at all: beside the old file first, then in its place, with its owner and mode. Argument: how many bytes come. */
export const write = `${fail}
# Who stops reading before all of it came may not be heard.
fail() { cat >/dev/null; echo "hermes-error $1" >&2; exit 9; }
file=$1
links=0
while [ -L "$file" ]; do
  links=$((links + 1)); [ "$links" -gt 40 ] && fail ELOOP
  target=$(readlink "$file") || break
  case $target in /*) file=$target ;; *) file=\${file%/*}/$target ;; esac
done
[ -d "$file" ] && fail EISDIR
folder=\${file%/*}; [ -n "$folder" ] || folder=/
if [ ! -d "$folder" ]; then mkdir -p -- "$folder" 2>/dev/null || { [ -e "$folder" ] && fail ENOTDIR; fail EACCES; }; fi
new=$folder/.hermes-$$-\${2}.new
if ! (: >"$new") 2>/dev/null; then
  [ -w "$file" ] || { [ -w "$folder" ] && fail ENOSPC; fail EACCES; }
  cat >"$file" || fail ENOSPC
  [ "$(wc -c <"$file")" -eq "$2" ] || fail EIO
  exit 0
fi
trap 'rm -f -- "$new"' EXIT
cat >"$new" 2>/dev/null || fail ENOSPC
[ "$(wc -c <"$new")" -eq "$2" ] || fail EIO
if [ -e "$file" ]; then
  mode=$(stat -c %a -- "$file" 2>/dev/null || stat -f %Lp -- "$file" 2>/dev/null) && chmod "$mode" "$new"
  owner=$(stat -c %u:%g -- "$file" 2>/dev/null || stat -f %u:%g -- "$file" 2>/dev/null) && chown "$owner" "$new" 2>/dev/null
fi
mv -f -- "$new" "$file" 2>/dev/null || fail EACCES
trap - EXIT
`;

/** Nothing for what is not there. Argument: L to follow links. */
export const stat = `${fail}
if [ "$2" = L ]; then [ -e "$1" ] || exit 0; else [ -e "$1" ] || [ -L "$1" ] || exit 0; fi
stat -\${2}c '%F|%s|%.3Y|%a' -- "$1" 2>/dev/null || stat -\${2}f '%HT|%z|%Fm|%Lp' -- "$1" 2>/dev/null || fail EACCES
`;

export const list = `${fail}
[ -e "$1" ] || fail ENOENT
[ -d "$1" ] || fail ENOTDIR
[ -r "$1" ] && cd -- "$1" 2>/dev/null || fail EACCES
for name in * .[!.]* ..?*; do
  if [ -e "$name" ] || [ -L "$name" ]; then printf '%s\\0' "$name"; fi
done
`;

export const remove = `${fail}
[ -e "$1" ] || [ -L "$1" ] || fail ENOENT
[ -d "$1" ] && [ ! -L "$1" ] && fail EISDIR
rm -f -- "$1" 2>/dev/null || fail EACCES
`;

/** Argument: the new name. */
export const rename = `${fail}
[ -e "$1" ] || [ -L "$1" ] || fail ENOENT
[ -d "$2" ] && fail EISDIR
folder=\${2%/*}; [ -n "$folder" ] || folder=/
mkdir -p -- "$folder" 2>/dev/null || fail EACCES
mv -f -- "$1" "$2" 2>/dev/null || fail EACCES
`;

/** What exists is resolved; the rest cannot be a link yet and is appended as it is. */
export const realPath = `${fail}
file=$1 rest= turns=0
while :; do
  turns=$((turns + 1)); [ "$turns" -gt 200 ] && fail ELOOP
  if [ -e "$file" ]; then
    if [ -d "$file" ]; then real=$(cd -P -- "$file" 2>/dev/null && pwd -P) || real=$file
    elif [ -L "$file" ]; then
      target=$(readlink "$file")
      case $target in /*) file=$target ;; *) file=\${file%/*}/$target ;; esac
      continue
    else
      folder=\${file%/*}; [ -n "$folder" ] || folder=/
      real=$(cd -P -- "$folder" 2>/dev/null && pwd -P) || real=$folder
      [ "$real" = / ] && real=
      real=$real/\${file##*/}
    fi
    [ "$real" = / ] && [ -n "$rest" ] && real=
    printf '%s%s\\n' "$real" "$rest"
    exit 0
  fi
  if [ -L "$file" ]; then
    target=$(readlink "$file")
    case $target in /*) file=$target ;; *) file=\${file%/*}/$target ;; esac
    continue
  fi
  rest=/\${file##*/}$rest
  file=\${file%/*}
  [ -n "$file" ] || file=/
done
`;
