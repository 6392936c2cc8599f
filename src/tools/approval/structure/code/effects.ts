import type { Language } from "../../../shell/programs/interpreters.ts";
import { lex } from "./lexer.ts";

/** What code does outside itself. */
export interface CodeEffects {
  /** Starts programs. */
  readonly runs: boolean;
  readonly deletes: boolean;
  /** Talks to other machines. */
  readonly connects: boolean;
  /** Runs code that is made while it runs. */
  readonly isDynamic: boolean;
  /** Files it writes; undefined when it writes somewhere unknown. */
  readonly writes: readonly (string | undefined)[];
}

interface Words {
  readonly runs: RegExp;
  readonly deletes: RegExp;
  readonly connects: RegExp;
  readonly dynamic: RegExp;
  /** A call that writes; the text it names stands behind it. */
  readonly writes: RegExp;
}

const never = /(?!)/;

const languages: Readonly<Partial<Record<Language, Words>>> = {
  python: {
    runs: /\b(?:os\s*\.\s*(?:system|popen|exec\w*|spawn\w*|posix_spawnp?|fork|forkpty|kill|killpg|startfile)|subprocess|pty\s*\.\s*spawn|commands\s*\.|ctypes|cffi|asyncio\s*\.\s*create_subprocess\w*|pexpect|fabric|multiprocessing|webbrowser|sh\s*\.|plumbum|from\s+os\s+import|getoutput|check_output|Popen)\b/,
    deletes:
      /\b(?:os\s*\.\s*(?:remove|unlink|rmdir|removedirs|truncate)|shutil\s*\.\s*(?:rmtree|move)|rmtree|send2trash)\b|\.\s*(?:unlink|rmdir|rmtree)\s*\(/,
    connects:
      /\b(?:urllib|urllib2|urllib3|requests|httpx|aiohttp|http\s*\.\s*client|socket|smtplib|ftplib|telnetlib|paramiko|xmlrpc|websocket|websockets|boto3|imaplib|poplib)\b/,
    dynamic:
      /\b(?:eval|exec|compile|__import__|importlib|getattr|globals|locals|vars|__builtins__|marshal|pickle|runpy|codecs|b64decode|fromhex|unhexlify|types\s*\.\s*FunctionType|code\s*\.\s*interact)\b/,
    writes:
      /\b(?:open\s*\(\s*(?:"(\d+)"|([\w.]+))[^)]*,\s*(?:mode\s*=\s*)?"(\d+)"|(?:shutil\s*\.\s*copy\w*|os\s*\.\s*(?:rename|replace|link|symlink|chmod|chown|makedirs|mkdir))\s*\([^)]*"(\d+)"\s*\)|Path\s*\(\s*"(\d+)"\s*\)\s*\.\s*(?:write_text|write_bytes|touch|mkdir|rename|chmod|symlink_to)|write_text|write_bytes)/g,
  },
  javascript: {
    runs: /\b(?:child_process|execSync|execFileSync|spawnSync|execFile|spawn|fork|Bun\s*\.\s*(?:spawn|spawnSync|\$)|Deno\s*\.\s*(?:Command|run)|process\s*\.\s*(?:binding|dlopen|kill)|execa|shelljs|zx|cross-spawn)\b/,
    deletes:
      /\b(?:unlink|unlinkSync|rm|rmSync|rmdir|rmdirSync|truncate|truncateSync|ftruncate|rimraf|del|removeSync|emptyDir|emptyDirSync|Deno\s*\.\s*remove)\s*\(/,
    connects:
      /\b(?:fetch|XMLHttpRequest|WebSocket|axios|got|superagent|node-fetch|undici|https?\s*\.\s*(?:request|get)|net\s*\.\s*(?:connect|createConnection|Socket)|tls\s*\.\s*connect|dgram|nodemailer|Deno\s*\.\s*(?:connect|listen))\b/,
    dynamic:
      /\b(?:eval|Function|vm\s*\.|runInNewContext|runInThisContext|atob|unescape|process\s*\[|require\s*\(\s*[^")]|import\s*\(\s*[^")]|globalThis\s*\[|constructor\s*\.\s*constructor|Reflect)\b/,
    writes:
      /\b(?:writeFile|writeFileSync|appendFile|appendFileSync|createWriteStream|outputFile|outputFileSync|writeTextFile|chmod|chmodSync|mkdirSync|mkdir|Bun\s*\.\s*write|copyFile(?:Sync)?|rename(?:Sync)?|symlink(?:Sync)?|cpSync|cp)\s*\(\s*(?:"(\d+)"(?:\s*,\s*"(\d+)")?)?/g,
  },
  perl: {
    runs: /\b(?:system|exec|qx|fork|kill|syscall|IPC::\w+|popen|readpipe|dump)\b|`run`|\bopen\b[^;]*\|/,
    deletes: /\b(?:unlink|rmdir|rmtree|remove_tree|truncate)\b/,
    connects: /\b(?:IO::Socket|LWP|HTTP::Tiny|Net::\w+|Socket|connect|WWW::Mechanize)\b/,
    dynamic: /\b(?:eval|do\s*"|do\s+\$|require\s*["$]|use\s+lib|pack|unpack|decode_base64|sprintf\s*\(\s*"%c)\b/,
    writes:
      /\bopen\b[^;]*?"(\d+)"(?:\s*,\s*"(\d+)")?|\b(?:rename|copy|move|symlink|link|chmod|chown|mkdir)\b[^;]*?"(\d+)"(?:\s*,\s*"(\d+)")?/g,
  },
  ruby: {
    runs: /\b(?:system|exec|spawn|IO\s*\.\s*popen|popen|Open3|Process\s*\.\s*(?:spawn|kill)|fork|Kernel|PTY)\b|`run`|%x/,
    deletes:
      /\b(?:File\s*\.\s*(?:delete|unlink|truncate)|FileUtils\s*\.\s*(?:rm\w*|remove\w*|mv)|Dir\s*\.\s*(?:rmdir|delete|unlink)|rm_rf|rm_r|rmtree)\b|\.\s*(?:unlink|rmtree)\b/,
    connects:
      /\b(?:Net::HTTP|TCPSocket|UDPSocket|Socket|OpenURI|open-uri|URI\s*\.\s*open|Faraday|HTTParty|RestClient|Net::SMTP|Net::FTP)\b/,
    dynamic: /\b(?:eval|instance_eval|class_eval|send|public_send|const_get|define_method|Base64|unpack1?|binding)\b/,
    writes:
      /\b(?:File|IO|Pathname)\s*(?:\.\s*(?:write|binwrite|open|new|rename|symlink|chmod))?\s*\(?\s*"(\d+)"(?:\s*,\s*"(\d+)")?|FileUtils\s*\.\s*\w+\s*\(?[^)\n]*"(\d+)"/g,
  },
  php: {
    runs: /\b(?:system|exec|shell_exec|passthru|popen|proc_open|pcntl_exec|pcntl_fork|posix_kill|mail)\s*\(|`run`/,
    deletes: /\b(?:unlink|rmdir|ftruncate)\s*\(/,
    connects: /\b(?:curl_\w+|fsockopen|pfsockopen|stream_socket_client|socket_create|ftp_\w+|mail)\s*\(/,
    dynamic: /\b(?:eval|assert|create_function|base64_decode|gzinflate|str_rot13|call_user_func\w*|include|require)\b/,
    writes:
      /\b(?:file_put_contents|fopen|copy|rename|symlink|link|chmod|chown|mkdir|move_uploaded_file|touch)\s*\(\s*(?:"(\d+)"(?:\s*,\s*"(\d+)")?)?/g,
  },
  lua: {
    runs: /\b(?:os\s*\.\s*execute|io\s*\.\s*popen|ffi)\b/,
    deletes: /\bos\s*\.\s*remove\b/,
    connects: /\bsocket\b/,
    dynamic: /\b(?:load|loadstring|dofile|loadfile|string\s*\.\s*char)\b/,
    writes: /\b(?:io\s*\.\s*(?:open|output)|os\s*\.\s*rename)\s*\(\s*(?:"(\d+)"(?:\s*,\s*"(\d+)")?)?/g,
  },
  awk: {
    runs: /\bsystem\s*\(|\|&?\s*getline|(?:print|printf)\b[^;}\n]*\|/,
    deletes: never,
    connects: /\/inet/,
    dynamic: /@load|@\w+\s*\(/,
    writes: /(?:print|printf)\b[^;}\n]*?>>?\s*(?:"(\d+)")?/g,
  },
  other: {
    runs: /\b(?:system2?|shell|exec\w*|spawn\w*|popen|pipe|process|Process|cmd|run|syscmd|esyscmd|shell-command|call-process|start-process|make-process|do\s+shell\s+script|Runtime|ProcessBuilder|System\.Process|Sys\.command|os:cmd|open_port|!\w+)\b|`|\.execute\b|"\s*\.\s*!|^\s*!/m,
    deletes:
      /\b(?:rm|rm_rf!?|rm_r|remove\w*|unlink|delete\w*|rmdir|file\.remove|delete-file|delete-directory|rmtree|truncate|Remove-Item|ri|del)\b/,
    connects:
      /\b(?:socket|http\w*|url\w*|download\w*|curl|connect|fetch|request\w*|Invoke-WebRequest|iwr|Net\.\w+|httpc|HTTPoison|gen_tcp)\b/i,
    dynamic:
      /\b(?:eval|load|require|apply|parse|compile|source|Invoke-Expression|iex|EncodedCommand|Code\.eval\w*|load-file|exec)\b/,
    writes:
      /\b(?:write\w*|writeFile|spit|output|open|File\.write!?|file\.create|file\.copy|file\.rename|writeLines|sink|copy-file|rename-file|Set-Content|Out-File|Add-Content)\b\s*\(?\s*(?:"(\d+)")?/g,
  },
};

const writing = /[wax+>]|O_(?:WRONLY|RDWR|CREAT|TRUNC)/;

/** Scans code for what it does outside itself; what it cannot make out counts as done. */
export function codeEffects(source: string, language: Language): CodeEffects {
  if (language === "sed") return sedEffects(source);
  if (language === "editor") return editorEffects(source);
  const words = languages[language];
  if (words === undefined) return nothing;
  const { code, texts } = lex(source, language);
  return {
    runs: words.runs.test(code),
    deletes: words.deletes.test(code),
    connects: words.connects.test(code),
    isDynamic: words.dynamic.test(code) || texts.some((text) => /(?:\\x[0-9a-f]{2}){4}|(?:\\\d{3}){4}/i.test(text)),
    writes: [...code.matchAll(words.writes)].flatMap((match) => writtenBy(match, texts, language)),
  };
}

const nothing: CodeEffects = { runs: false, deletes: false, connects: false, isDynamic: false, writes: [] };

function writtenBy(
  match: RegExpMatchArray,
  texts: readonly string[],
  language: Language,
): readonly (string | undefined)[] {
  const named = match
    .slice(1)
    .flatMap((index) => (index !== undefined && /^\d+$/.test(index) ? [texts[Number(index)] ?? ""] : []));
  const isOpen = /^(?:open|fopen|io\s*\.\s*open|File|IO)\b/.test(match[0]);
  if (isOpen) {
    const [path, mode] = named;
    if (language === "perl") return openedByPerl(named);
    if (named.length < 2 && language !== "python") return [];
    return mode !== undefined && !writing.test(mode)
      ? []
      : [named.length > 1 || language !== "python" ? path : undefined];
  }
  return named.length === 0 ? [undefined] : [named.at(-1)];
}

/** `open(F, ">x")` and `open(F, ">", "x")`. */
function openedByPerl(named: readonly string[]): readonly (string | undefined)[] {
  const [first = "", second] = named;
  const match = /^\s*\+?>{1,2}\s*(.*)$/.exec(first);
  if (match === null) return [];
  return [match[1] === "" ? second : match[1]];
}

/** The commands of sed that run something (`e`) or write a file (`w`), also as flags of `s`. */
function sedEffects(source: string): CodeEffects {
  const address = "(?:\\d+|\\$|/(?:[^/\\\\]|\\\\.)*/I?)";
  const command = new RegExp(
    `(?:^|[;{}\\n])\\s*(?:${address}(?:\\s*,\\s*[~+]?${address})?)?\\s*!?\\s*([ewW])(?:\\s+([^\\n;}]*)|\\s*$)`,
    "gm",
  );
  const found = [...source.matchAll(command)];
  const substitutions = [
    ...source.matchAll(/s(.)(?:(?!\1)[^\\]|\\[\s\S])*\1(?:(?!\1)[^\\]|\\[\s\S])*\1([a-zA-Z0-9]*)(?:\s+(\S+))?/g),
  ];
  const flags = substitutions.map((match) => ({ letters: match[2] ?? "", file: match[3] }));
  return {
    ...nothing,
    runs: found.some((match) => match[1] === "e") || flags.some(({ letters }) => letters.includes("e")),
    writes: [
      ...found.filter((match) => match[1] !== "e").map((match) => match[2]?.trim()),
      ...flags.filter(({ letters }) => letters.includes("w")).map(({ file }) => file),
    ],
  };
}

/** Commands of vi and its kin. */
function editorEffects(source: string): CodeEffects {
  return {
    ...nothing,
    runs: /!|\b(?:system|systemlist|term(?:inal)?|job_start|libcall|py3?(?:thon3?)?|pyx|perl|ruby|lua|mz|tcl|make|grep)\b/.test(
      source,
    ),
    deletes: /\bdelete\s*\(|\bcall\s+delete|(?:^|[|:\s])(?:%|1,\$|g\/[^/]*\/)\s*d\b/m.test(source),
    isDynamic: /\b(?:so(?:urce)?|exe(?:cute)?|ru(?:ntime)?|norm(?:al)?)\b/.test(source),
    writes: [...source.matchAll(/(?:^|[|:\s])(?:w(?:rite)?!?|sav(?:eas)?!?|writefile\(.*,)\s*["']?([^\s|"')]+)/g)].map(
      (match) => match[1],
    ),
  };
}
