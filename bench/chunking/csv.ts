/**
 * Records of a CSV text (RFC 4180): fields may be quoted, a quote inside is doubled, and quoted fields may hold commas
 * and line ends. A quote that never closes takes the rest of the text.
 */
export function parseCsv(text: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  let position = 0;
  while (position < text.length) {
    const field = readField(text, position);
    record.push(field.value);
    position = field.end + 1;
    if (text[field.end] === ',') continue;
    if (text[field.end] === '\r' && text[position] === '\n') position += 1;
    records.push(record);
    record = [];
  }
  if (text.endsWith(',')) record.push('');
  if (record.length > 0) records.push(record);
  return records;
}

interface Field {
  readonly value: string;
  /** Position of the separator after it, or the length of the text. */
  readonly end: number;
}

function readField(text: string, start: number): Field {
  if (text[start] !== '"') {
    const end = nextSeparator(text, start);
    return { value: text.slice(start, end), end };
  }
  let close = text.indexOf('"', start + 1);
  while (close >= 0 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
  const valueEnd = close < 0 ? text.length : close;
  const value = text.slice(start + 1, valueEnd).replaceAll('""', '"');
  return { value, end: close < 0 ? text.length : nextSeparator(text, close + 1) };
}

function nextSeparator(text: string, from: number): number {
  let end = from;
  while (end < text.length && text[end] !== ',' && text[end] !== '\n' && text[end] !== '\r') end += 1;
  return end;
}
