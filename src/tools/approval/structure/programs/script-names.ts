import path from "node:path";

const shell =
  /\.(?:sh|bash|zsh|ksh|dash|fish|csh|command|bats|in|tpl|template|env|rc)$|(?:^|\/)\.?(?:env(?:\.[\w.-]+)?|envrc|\w*rc|profile|activate(?:\.\w+)?)$/;
/** Endings by which a script shows what it is written in. */
const endings: readonly (readonly [program: RegExp, ending: RegExp])[] = [
  [/^(?:python[\d.]*|pypy[\d.]*|ipython[\d.]*|jython)$/, /\.(?:py|pyw|pyz|pyc|zip)$/],
  [
    /^(?:node|nodejs|tsx|ts-node|deno|bun|qjs|gjs)$/,
    /(?:\.(?:[cm]?[jt]sx?|json|wasm)|(?:^|\/)[^./]+|(?:^|\/)\.{1,2}\/?)$/,
  ],
  [/^perl$/, /\.(?:pl|pm|t|cgi)$/],
  [/^(?:ruby|jruby|irb)$/, /\.(?:rb|rake|ru|gemspec)$/],
  [/^php[\d.]*$/, /\.(?:php|phar|phtml|inc)$|(?:^|\/)artisan$/],
  [/^lua(?:jit)?[\d.]*$/, /\.(?:lua|luac)$/],
  [/^(?:tclsh|wish|expect)[\d.]*$/, /\.(?:tcl|tk|exp)$/],
  [/^(?:R|Rscript)$/, /\.(?:[rR]|Rmd|qmd)$/],
  [/^julia$/, /\.jl$/],
  [/^(?:guile|racket|sbcl|clisp|ecl|csi)$/, /\.(?:scm|ss|rkt|lisp|lsp|cl|fasl)$/],
  [/^(?:[gmn]?awk)$/, /\.(?:awk|gawk)$/],
  [/^g?sed$/, /\.sed$/],
  [/^m4$/, /\.(?:m4|ac|am|in|mc)$/],
  [/^(?:psql|mysql|mariadb|sqlite3|usql|trino|hive|duckdb)$/, /\.(?:sql|psql|ddl|dump)(?:\.\w+)?$/],
];
/** Names without an ending that projects give to what they run. */
const usual =
  /^(?:configure|install|setup|build|test|tests|run|start|stop|serve|server|deploy|bootstrap|release|publish|lint|format|check|bench|ci|dev|update|clean|gradlew|mvnw|autogen|rails|rake|console|manage|main|app|entrypoint|docker-entrypoint|docker-run|migrate|seed|init|launch|worker|run-\w+|test-\w+|build-\w+|setup-\w+|start-\w+|install-\w+)$/;
const folders = /(?:^|\/)(?:bin|sbin|scripts?|tools?|ci|\.ci|\.github|exe|libexec|hack|build|contrib|utils?)\//;

/** Whether a file is called as scripts for this program are; what is not may be anything: `bash notes.txt`, `tclsh blob`. */
export function isCalledScript(program: string, file: string, isShell: boolean): boolean {
  const rule = isShell ? shell : endings.find(([name]) => name.test(program))?.[1];
  if (rule === undefined || rule.test(file)) return true;
  const name = path.posix.basename(file);
  return !name.includes(".") && (usual.test(name) || folders.test(file));
}
