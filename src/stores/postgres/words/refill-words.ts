import { indexedTextOfStored } from '../../../core/analysis/indexed-text.js';
import { analyzeText } from '../../../core/analysis/lexical-analyzer.js';
import type { PostgresDatabase, RunStatement } from '../../../platform/postgres/postgres-database.js';
import {
  COLLECTION_FORMAT,
  lockFormat,
  type RegisteredCollection,
  raiseFormat,
} from '../collection-registry.js';
import { readChunk } from '../row-reader.js';
import { Parameters } from '../sql-text.js';
import { rowColumns, type TableLayout } from '../table-layout.js';
import { createWordTables } from './word-tables.js';
import { writeWords } from './write-words.js';

/** Rows that are read at a time. */
const PAGE = 2_000;

/**
 * Gives a collection of the first format, whose words were in a file beside the ledger, its words here: from title, headings
 * and text of each chunk of ours. What is not kept with a chunk (a repeated table header, the passages around it) counts again
 * when its document is next processed. One transaction; does nothing where another process has done it.
 */
export async function refillWords(
  database: PostgresDatabase,
  { id, format, spec }: RegisteredCollection,
  layout: TableLayout,
): Promise<void> {
  if (format >= COLLECTION_FORMAT) return;
  const { schema } = layout.words;
  const timeoutMs = database.settings.maintenanceTimeoutMs;
  const action = `bring the words of collection "${spec.name}" into the database`;
  await database.transaction({ action, timeoutMs }, async (run) => {
    await run("SELECT set_config('statement_timeout', $1, true)", [String(timeoutMs)]);
    // Another process may have been faster.
    const found = await lockFormat(run, { schema, id });
    if (found === undefined || found >= COLLECTION_FORMAT) return;
    await createWordTables(run, layout.words);
    await writeAllWords(run, layout);
    await raiseFormat(run, { schema, id });
  });
}

async function writeAllWords(run: RunStatement, layout: TableLayout): Promise<void> {
  const { keyOf, keyType, words } = layout;
  for (let after: string | undefined; ; ) {
    const parameters = new Parameters();
    const from = layout.from(parameters);
    const isNext = after === undefined ? '' : `AND key > ${parameters.bind(after, keyType)}`;
    const { rows } = await run(
      `SELECT ${rowColumns(false)} FROM ${from} WHERE is_ours ${isNext} ORDER BY key LIMIT ${PAGE}`,
      parameters.values,
    );
    const chunks = rows.map(readChunk);
    await writeWords(
      run,
      words,
      chunks.map((chunk) => ({
        key: keyOf(chunk.id),
        tenant: chunk.tenant,
        searchText: analyzeText(indexedTextOfStored(chunk)).join(' '),
      })),
    );
    const last = chunks.at(-1);
    if (last === undefined || chunks.length < PAGE) return;
    after = keyOf(last.id);
  }
}
