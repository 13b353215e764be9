import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openLedger } from '../../ledger/sqlite/open-ledger.js';
import { firstFailure } from '../test-concern.js';
import { LEDGER_FAULTS, type LedgerFault, withFault } from './broken-ledgers.js';
import { testLedger } from './suite.js';

describe('the ledger contract turns red where', () => {
  for (const [name, fault] of Object.entries(LEDGER_FAULTS))
    it(name, async () => {
      expect(await failureOf(fault)).toBeDefined();
    });
});

/** The title of the first test that fails, in the part that has to find the fault. */
const failureOf = (fault: LedgerFault): Promise<string | undefined> =>
  firstFailure(fault.concern, (runner) =>
    testLedger({
      name: 'broken',
      runner,
      randomHistories: 5,
      create: async ({ now, keepRevisions, keepsHistory }) => {
        const folder = mkdtempSync(join(tmpdir(), 'ragstone-ledger-'));
        const options = { path: join(folder, 'ledger.db'), now, keepRevisions, keepsHistory };
        return {
          open: async () => withFault(openLedger(options), fault),
          openForReading: async () => withFault(openLedger({ ...options, readOnly: true }), fault),
          cleanup: async () => rmSync(folder, { recursive: true, force: true }),
        };
      },
    }),
  );
