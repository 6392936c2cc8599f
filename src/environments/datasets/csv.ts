/** The records of a CSV text (RFC 4180): quoted fields may hold commas, doubled quotes and line ends. */
export function parseCsv(text: string): readonly (readonly string[])[] {
  const records: string[][] = [];
  let record: string[] = [];
  let field = "";
  let isQuoted = false;
  const endField = (): void => {
    record.push(field);
    field = "";
  };
  const endRecord = (): void => {
    endField();
    if (record.length > 1 || record[0] !== "") records.push(record);
    record = [];
  };
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if (isQuoted) {
      if (character !== '"') field += character;
      else if (text[at + 1] === '"') {
        field += '"';
        at += 1;
      } else isQuoted = false;
    } else if (character === '"' && field === "") isQuoted = true;
    else if (character === ",") endField();
    else if (character === "\n") endRecord();
    else if (character !== "\r" || text[at + 1] !== "\n") field += character;
  }
  if (field !== "" || record.length > 0) endRecord();
  return records;
}
