import { type ScriptFunction, signature } from "./functions.ts";

const base = `"""Tools of the agent as functions. Results are parsed: dictionaries and lists, not text."""
import itertools as _itertools
import json as _json
import os as _os
import re as _re
import shlex as _shlex
import socket as _socket
import threading as _threading
import time as _time

_ids = _itertools.count(1)
_turn = _threading.Lock()
_mark = _os.environ.get("HERMES_RPC_MARK")
_replies = None if _mark is None else _os.fdopen(int(_os.environ["HERMES_RPC_FD"]), "rb")


def _over_pipe(request):
    # Elsewhere there is one pipe each way: requests are marked lines of the output.
    with _turn:
        text = ("\\n" + _mark + _json.dumps(request) + "\\n").encode("utf-8")
        while text:
            text = text[_os.write(1, text):]
        return _replies.readline()


def _call(tool, args):
    request = {"id": next(_ids), "tool": tool, "args": {k: v for k, v in args.items() if v is not None}}
    answer = _over_socket(request) if _mark is None else _over_pipe(request)
    reply = _json.loads(answer.decode("utf-8"))
    text = reply.get("result", "")
    try:
        return _json.loads(text)
    except ValueError:
        return text


def _over_socket(request):
    with _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM) as link:
        link.connect(_os.environ["HERMES_RPC_SOCKET"])
        link.sendall(_json.dumps(request).encode("utf-8") + b"\\n")
        with link.makefile("rb") as stream:
            return stream.readline()


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
