import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { originalText } from '../ledger/ledger-text.js';
import { decodeText, TEXT_ENCODINGS } from '../ledger/text-encoding.js';
import { bytesAt, text, textAt } from '../sqlite/row.js';
import { SqliteDatabase } from '../sqlite/sqlite-database.js';

/**
 * Places of a data folder that hold a word, whatever its case: files by their bytes, and texts that a ledger keeps compressed as they
 * read, so that to find nothing says something.
 */
export async function filesWith(dataDir: string, word: string): Promise<string[]> {
  const wanted = word.toLowerCase();
  const found: string[] = [];
  for (const path of readdirSync(dataDir, { recursive: true, encoding: 'utf8' })) {
    const file = join(dataDir, path);
    if (path.toLowerCase().includes(wanted)) found.push(`the name ${path}`);
    // A file of a store may go while this looks.
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) continue;
    if (readFileSync(file).toString('latin1').toLowerCase().includes(wanted)) found.push(path);
    if (path.endsWith('ledger.db') && textsOf(file).some((kept) => kept.toLowerCase().includes(wanted)))
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
    return database.rows(`SELECT ${text('encoding')}, text FROM revision`).map((row) => {
      const name = originalText(textAt(row, 0));
      const encoding = TEXT_ENCODINGS.find((known) => known === name) ?? 'utf8';
      return decodeText({ encoding, bytes: bytesAt(row, 1) });
    });
  } finally {
    database.close();
  }
}
