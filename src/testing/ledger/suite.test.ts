import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openLedger } from '../../ledger/sqlite/open-ledger.js';
import type { TestRunner } from '../vector-store/contract.js';
import { LEDGER_FAULTS, type LedgerFault, withFault } from './broken-ledgers.js';
import { testLedger } from './suite.js';

describe('the ledger contract turns red where', () => {
  for (const [name, fault] of Object.entries(LEDGER_FAULTS))
    it(name, async () => {
      expect(await firstFailure(fault)).toBeDefined();
    });
});

/** The title of the first test that fails, in the part that has to find the fault. */
async function firstFailure(fault: LedgerFault): Promise<string | undefined> {
  const tests: { readonly title: string; readonly run: () => Promise<void> }[] = [];
  const titles: string[] = [];
  const runner: TestRunner = {
    describe: (title, define) => {
      titles.push(title);
      define();
      titles.pop();
    },
    it: (title, run) => {
      if (titles.at(-1) === fault.concern) tests.push({ title, run });
    },
  };
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
  });
  expect(tests).not.toEqual([]);
  for (const { title, run } of tests)
    try {
      await run();
    } catch {
      return title;
    }
  return undefined;
}
