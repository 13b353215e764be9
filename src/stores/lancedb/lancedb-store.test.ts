import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as lancedb from '@lancedb/lancedb';
import { describe, expect, it } from 'vitest';
import { EVERYTHING } from '../../core/filter.js';
import { record } from '../../testing/vector-store/records.js';
import { createLibsqlStore } from '../libsql/libsql-store.js';
import type { VectorStore } from '../vector-store.js';
import { withLexicalIndex } from '../with-lexical-index.js';
import { createLanceDbStore } from './lancedb-store.js';

/** The store as an engine has it: with an index of words beside it. */
const openStore = (folder: string): VectorStore =>
  withLexicalIndex(
    createLanceDbStore({ path: join(folder, 'vectors') }),
    createLibsqlStore({ path: join(folder, 'words.db') }),
  );

describe('a table whose words LanceDB searched itself', () => {
  it('has them copied by whoever opens it, and its index of words removed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ragstone-lancedb-'));
    const spec = { name: 'old', dimensions: 8, fingerprint: 'm' };
    const records = Array.from({ length: 40 }, (_, i) =>
      record(`r${i}`, { searchText: `context${i % 3} \ufeffword${i % 5} word` }),
    );
    const alone = createLanceDbStore({ path: join(folder, 'vectors') });
    await (await alone.open(spec)).upsert(records);
    await alone.close();
    const table = await (await lancedb.connect(join(folder, 'vectors'))).openTable('old');
    await table.createIndex('search_text', { config: lancedb.Index.fts({ baseTokenizer: 'whitespace' }) });

    const store = openStore(folder);
    expect(await store.describe('old')).toEqual(spec);
    const collection = await store.open(spec);
    const search = (term: string) =>
      collection.searchText?.({ terms: [term], topK: 50, filter: EVERYTHING, tenant: 'acme' });
    expect(await search('context1')).toHaveLength(13);
    expect(await search('\ufeffword2')).toHaveLength(8);
    expect((await collection.list({ filter: EVERYTHING, limit: 99 })).chunks).toHaveLength(40);
    await collection.optimize();
    await table.checkoutLatest();
    expect((await table.listIndices()).map(({ name }) => name)).not.toContain('search_text_idx');
    await store.close();
    await rm(folder, { recursive: true });
  });
});
