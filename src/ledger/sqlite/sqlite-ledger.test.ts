import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { testLedger } from '../../testing/index.js';
import { openLedger } from './open-ledger.js';

testLedger({
  name: 'sqlite',
  runner: { describe, it },
  create: async ({ now, keepRevisions, keepsHistory }) => {
    const folder = mkdtempSync(join(tmpdir(), 'ragstone-ledger-'));
    const options = { path: join(folder, 'ledger.db'), now, keepRevisions, keepsHistory };
    return {
      open: async () => openLedger(options),
      openForReading: async () => openLedger({ ...options, readOnly: true }),
      cleanup: async () => rmSync(folder, { recursive: true, force: true }),
    };
  },
});
