import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { originalText } from '../ledger/ledger-text.js';
import { decodeText, TEXT_ENCODINGS } from '../ledger/text-encoding.js';
import { bytesAt, text, textAt } from '../platform/sqlite/row.js';
import { SqliteDatabase } from '../platform/sqlite/sqlite-database.js';

/**
 * Places of a data folder that hold a word, whatever its case: files by their bytes, and what a ledger keeps compressed, of the
 * present and of the past, as it reads, so that to find nothing says something. An encrypted ledger is looked into by its bytes alone.
 */
export async function filesWith(dataDir: string, word: string): Promise<string[]> {
  const wanted = word.toLowerCase();
  const found: string[] = [];
  for (const path of readdirSync(dataDir, { recursive: true, encoding: 'utf8' })) {
    const file = join(dataDir, path);
    if (path.toLowerCase().includes(wanted)) found.push(`the name ${path}`);
    // A file of a store may go while this looks.
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) continue;
    const bytes = readFileSync(file).toString('latin1');
    if (bytes.toLowerCase().includes(wanted)) found.push(path);
    const isReadable = path.endsWith('ledger.db') && bytes.startsWith('SQLite format 3');
    if (isReadable && textsOf(file).some((kept) => kept.toLowerCase().includes(wanted)))
      found.push(`a text in ${path}`);
  }
  return found;
}

function textsOf(path: string): string[] {
  const database = SqliteDatabase.open(path, {
    readOnly: true,
    toError: (_, cause) => new Error(String(cause)),
  });
  try {
    const present = database.rows(`SELECT ${text('encoding')}, text FROM revision`).map((row) => {
      const name = originalText(textAt(row, 0));
      const encoding = TEXT_ENCODINGS.find((known) => known === name) ?? 'utf8';
      return decodeText({ encoding, bytes: bytesAt(row, 1) });
    });
    const past = database
      .rows('SELECT bytes FROM history_part')
      .map((row) => gunzipSync(bytesAt(row, 0)).toString('utf8'));
    return [...present, ...past];
  } finally {
    database.close();
  }
}
