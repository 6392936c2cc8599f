// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are the shell's
import { describe, expect, it } from "vitest";
import { readCommandLine } from "../read-line.ts";

const location = { cwd: "/home/me/work", home: "/home/me", tempDirs: ["/tmp"] };
const read = (line: string) => readCommandLine(line, location);
/** Every command as it would be called; unknown pieces as `?`. */
const calls = (line: string): readonly string[] =>
  read(line)
    .commands.filter((one) => one.name !== "")
    .map((one) => [one.name ?? "?", ...one.args.map((arg) => arg.text)].join(" ").replace(/[\ufdd0-\ufdd2]/g, "?"));

describe("a line is read as bash expands it", () => {
  it.each([
    ["${x:-rm -r a}", "rm -r a"],
    ["${x:=rm} -r a; $x b", "rm b"],
    ["x=mr; ${x:1}${x:0:1} a", "rm a"],
    ["x=RM; ${x,,} a", "rm a"],
    ["x=rmz; ${x%z} a", "rm a"],
    ["x=a/b/rm; ${x##*/} a", "rm a"],
    ["x=lm; ${x/l/r} a", "rm a"],
    ["n=x; x=rm; ${!n} a", "rm a"],
    ["a=(rm -r 'b c'); \"${a[@]}\" d", "rm -r b c d"],
    ["a=(rm b c); ${a[0]} ${a[2]}", "rm c"],
    ['set -- rm -r a; "$@"', "rm -r a"],
    ['set -- x rm a; "${@:2}"', "rm a"],
    ['set --; x=; "$x$@" rm a', "rm a"],
    ["x+=$(ls); y=${x:=$(rm a)}", "rm a"],
    ["IFS=,; x=rm,-r,a; $x", "rm -r a"],
    ["$'\\x72\\155' a", "rm a"],
    ["{rm,-r,a{1..2}}", "rm -r a1 a2"],
    ["r\\\nm a", "rm a"],
    ["cd ~/x && rm a; rm ~/y", "rm /home/me/y"],
    ["$(printf '%s' rm) a", "rm a"],
    ["$(echo mr | rev) a", "rm a"],
    ["x=$((1+2)); rm a$x", "rm a3"],
    ["read x <<< rm; $x a", "rm a"],
    ["printf -v x %s rm; $x a", "rm a"],
    ["declare -l x=RM; $x a", "rm a"],
    ["rm a{}x,b} {},c}", "rm a}x ab {},c}"],
    ["npx -y prisma@5 db push", "prisma db push"],
    ["pnpm dlx @scope/tool@latest x", "tool x"],
    ["declare -a 'x=($(rm a))'", "rm a"],
    ["declare -u x; echo b | while read x; do rm $x; done", "rm B"],
    ['x=xrm; "${x[@]:1}" a', "rm a"],
    ['f() { "$@"; }; f rm a', "rm a"],
    ["alias q='rm -r'\nq a", "rm -r a"],
    ["trap 'rm a' EXIT", "rm a"],
    ["eval 'r''m a'", "rm a"],
    ["bash <<< 'rm a'", "rm a"],
    ["bash <(echo rm a)", "rm a"],
    ["echo 'rm a' > s; bash s", "rm a"],
    ["echo a b | xargs rm", "rm a b"],
    ["for f in a b; do rm $f; done", "rm b"],
    ["case $x in a) rm a;; esac", "rm a"],
    ["coproc rm a", "rm a"],
    ["! time -p rm a", "rm a"],
    ["echo $((1+$(rm a)))", "rm a"],
    ["x='b[$(rm a)]'; echo $((x))", "rm a"],
    ["[[ -v 'b[$(rm a)]' ]]", "rm a"],
    ["b[$(rm a)]=1", "rm a"],
    ["cat <<E\n$(rm a)\nE", "rm a"],
    ["x='$(rm a)'; echo ${x@P}", "rm a"],
    ["find . -exec rm {} +", "rm ./?"],
    ["sudo -u root env A=1 nice -n 5 rm a", "rm a"],
  ])("%j runs %j", (line, call) => {
    expect(calls(line)).toContain(call);
    expect(read(line).problems).toEqual([]);
  });

  it("with every value a branch may leave behind", () => {
    expect(calls("if a; then x=rm; else x=ls; fi; $x b")).toEqual(expect.arrayContaining(["rm b", "ls b"]));
    expect(calls("x=ls; false && x=rm; $x b")).toEqual(expect.arrayContaining(["rm b", "ls b"]));
    expect(calls("x=ls; (x=rm); $x b")).not.toContain("rm b");
    expect(calls("x=ls; while y; do $x b; x=rm; done")).toEqual(expect.arrayContaining(["rm b", "ls b"]));
  });

  it("and knows the folder a `cd` may have left, or not", () => {
    const folders = (line: string) =>
      read(line)
        .commands.filter((one) => one.name === "rm")
        .map((one) => one.cwd);
    expect(folders("cd sub && rm a")).toEqual(["/home/me/work/sub"]);
    expect(folders("cd sub; rm a")).toEqual(["/home/me/work/sub", "/home/me/work"]);
    expect(folders("cd sub || exit; rm a")).toEqual(["/home/me/work/sub"]);
    expect(folders("(cd sub); rm a")).toEqual(["/home/me/work"]);
    expect(folders('cd "$X"; rm a')).toEqual([undefined, "/home/me/work"]);
  });

  it.each([
    "cat x | bash",
    'eval "$P"',
    "bash < x",
    'bash -c "$X"',
    "source <(cat x)",
    'trap "$X" EXIT',
    ". /dev/stdin < x",
    "echo ${x@P}",
  ])("%j runs a script that nobody can see", (line) => expect(read(line).unknownScripts.size).toBeGreaterThan(0));

  it.each([":(){ :|:& };:", "f(){ f & f & }; f", "a(){ b;}; b(){ a|a & }; a"])("%j is a fork bomb", (line) => {
    expect(read(line).forkBombs).not.toEqual([]);
  });

  it.each([
    ["while :; do x & done", "spawning-loop"],
    ["for ((;;)); do :; done", "endless-loop"],
    ["for i in $(seq 10000); do sleep 99 & done", "spawning-loop"],
    ["for i in {1..100000}; do sleep 99 & done", "spawning-loop"],
    ["rm \u2013r a", "deceiving-characters"],
    ["rm\u200b a", "deceiving-characters"],
  ] as const)("%j is marked as %s", (line, trait) => expect([...read(line).traits]).toContain(trait));

  it("and takes typographic signs inside quotes for text", () => {
    expect([...read('git commit -m "a – b “c” 👩‍💻"').traits]).toEqual([]);
    expect([...read("while true; do curl -s localhost; sleep 1; done").traits]).toEqual([]);
    expect([...read("for i in $(seq 10); do sleep 9 & done; for i in {1..9999}; do echo $i; done").traits]).toEqual([]);
  });
});
