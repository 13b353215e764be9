import { originalText, storableText } from '../../platform/sqlite/row.js';

// PostgreSQL refuses NUL in text and in jsonb. The escape is the one of the SQLite stores: order-preserving and one to one.
export { originalText, storableText };

const NUL = '\\u0000';
const ESCAPE = '\\u0001';
// A backslash in JSON begins an escape, so matching the escaped backslash too keeps `\\u0000` (six characters of text) apart.
const NEEDS_ESCAPE = /\\(?:\\|u000[01])/g;
const NEEDS_UNESCAPE = /\\(?:\\|u0001\\u000[12])/g;

/** JSON whose every string and key is as `storableText` makes it. */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!json.includes('\\u000')) return json;
  return json.replace(NEEDS_ESCAPE, (match) => {
    if (match === NUL) return ESCAPE + ESCAPE;
    return match === ESCAPE ? `${ESCAPE}\\u0002` : match;
  });
}

/** The JSON value that `storableJson` wrote, from the server's text of it. */
export function originalJson(stored: string): unknown {
  if (!stored.includes(ESCAPE)) return JSON.parse(stored);
  return JSON.parse(
    stored.replace(NEEDS_UNESCAPE, (match) => {
      if (match === '\\\\') return match;
      return match.endsWith('1') ? NUL : ESCAPE;
    }),
  );
}
