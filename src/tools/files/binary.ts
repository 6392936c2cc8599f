/** Files that are not text by their name, without looking inside. */
const images = "png jpg jpeg gif bmp ico webp tiff tif";
const others = [
  "mp4 mov avi mkv webm wmv flv m4v mpeg mpg",
  "mp3 wav ogg flac aac m4a wma aiff opus",
  "zip tar gz bz2 7z rar xz z tgz iso",
  "exe dll so dylib obj lib app msi deb rpm",
  "doc docx xls xlsx ppt pptx odt ods odp",
  "ttf otf woff woff2 eot",
  "pyc pyo class jar war ear node wasm rlib",
  "sqlite sqlite3 db mdb",
  "psd eps sketch fig xd blend 3ds",
  "swf fla lockb",
].join(" ");
/** Names that stand for text as often as not; their content decides. */
const ambiguous = "dat data idx bin o a max ai";

const setOf = (list: string): ReadonlySet<string> => new Set(list.split(" "));
const imageExtensions = setOf(images);
const shownImages = setOf("png jpg jpeg gif webp bmp ico");
const binaryExtensions = new Set([...imageExtensions, ...setOf(others)]);
const ambiguousExtensions = setOf(ambiguous);

export function extensionOf(path: string): string {
  return /\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
}

export function isImagePath(path: string): boolean {
  return shownImages.has(extensionOf(path));
}

/** Refused without reading; ambiguous names are not. */
export function isBinaryPath(path: string): boolean {
  const extension = extensionOf(path);
  return binaryExtensions.has(extension) && !ambiguousExtensions.has(extension);
}

const sniffedChars = 1_000;
const controlShare = 0.3;

/** More control characters at the beginning than any text has. */
export function looksBinary(text: string): boolean {
  const head = text.slice(0, sniffedChars);
  if (head === "") return false;
  let controls = 0;
  for (let index = 0; index < head.length; index += 1) {
    const code = head.charCodeAt(index);
    if ((code < 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) || code === 0x7f) controls += 1;
  }
  return controls / head.length > controlShare || head.includes("\u0000");
}
