import { join } from 'node:path';
import { it } from 'vitest';
import { openLedger } from '../../src/ledger/sqlite/open-ledger.js';
import { temporaryFolder } from '../e2e/temporary-folder.js';
import { IS_LONG } from '../long-forms.js';
import { testMoments } from './moments.js';
import type { OpenBooks } from './recorded-index.js';

const RUNS = IS_LONG ? 300 : 25;

function books(): OpenBooks {
  const path = join(temporaryFolder(), 'books.db');
  return (now) => openLedger({ path, keepsHistory: true, now });
}

it('shows of every moment what had been committed by then, to who may read it then and now', async () => {
  await testMoments(books, RUNS);
}, 600_000);
