import { type ScriptFunction, signature } from "./functions.ts";

const base = `"""Tools of the agent as functions. Results are parsed: dictionaries and lists, not text."""
import itertools as _itertools
import json as _json
import os as _os
import re as _re
import shlex as _shlex
import socket as _socket
import time as _time

_ids = _itertools.count(1)


def _call(tool, args):
    request = {"id": next(_ids), "tool": tool, "args": {k: v for k, v in args.items() if v is not None}}
    with _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM) as link:
        link.connect(_os.environ["HERMES_RPC_SOCKET"])
        link.sendall(_json.dumps(request).encode("utf-8") + b"\\n")
        with link.makefile("rb") as stream:
            answer = stream.readline()
    reply = _json.loads(answer.decode("utf-8"))
    text = reply.get("result", "")
    try:
        return _json.loads(text)
    except ValueError:
        return text


def json_parse(text):
    """JSON out of text that may have a fence, words around it, or raw control characters."""
    fenced = _re.search(r"\`\`\`(?:json)?\\s*(.*?)\`\`\`", text, _re.S)
    candidates = [text, fenced.group(1) if fenced else ""]
    for opening, closing in ("{}", "[]"):
        start, end = text.find(opening), text.rfind(closing)
        if 0 <= start < end:
            candidates.append(text[start:end + 1])
    for candidate in candidates:
        try:
            return _json.loads(candidate, strict=False)
        except ValueError:
            continue
    raise ValueError("there is no JSON in this text")


def shell_quote(text):
    return _shlex.quote(str(text))


def retry(fn, max_attempts=3, delay=2):
    """Calls fn again when it raises, waiting twice as long each time."""
    for attempt in range(max_attempts):
        try:
            return fn()
        except Exception:
            if attempt + 1 >= max_attempts:
                raise
            _time.sleep(delay * 2 ** attempt)
`;

/** The text of `hermes_tools.py`. */
export function pythonModule(functions: readonly ScriptFunction[]): string {
  const stubs = functions.map((one) => {
    const names = one.parameters.map((parameter) => `"${parameter.name}": ${parameter.name}`).join(", ");
    return `\n\ndef ${signature(one)}:\n    return _call("${one.tool}", {${names}})\n`;
  });
  return base + stubs.join("");
}
