import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadConfig } from '../../config/load-config.js';
import type { RAGSettingsInput } from '../../config/schema/index.js';
import { openLedgerFor } from './open-ledger.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ragstone-ledger-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = async (ledger?: RAGSettingsInput['ledger'], env: Record<string, string> = {}) => {
  const config = await loadConfig({ config: ledger === undefined ? {} : { ledger }, cwd: folder, env });
  return openLedgerFor(config, { path: join(folder, 'ledger.db') });
};

it('is a file in the data folder unless something else is configured', async () => {
  const ledger = await open();
  expect(existsSync(join(folder, 'ledger.db'))).toBe(true);
  await ledger.close();
});

it('is a server whose address is a secret, which no error shows', async () => {
  const url = 'postgres://ann:sesame@127.0.0.1:1/db';
  const error: unknown = await open({ type: 'postgres', url: 'env:LEDGER_URL' }, { LEDGER_URL: url }).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({
    reason: 'INDEX_UNAVAILABLE',
    message: expect.stringContaining('127.0.0.1:1/db') as string,
  });
  expect(String(error)).not.toContain('sesame');
});

it.each([
  [undefined, /rag\.ledger\.url names no server/],
  ['http://host/db', /rag\.ledger\.url must be an address like postgres:/],
  ['postgres://ann:ses@me/db@host/db', /rag\.ledger\.url cannot be read/],
])('refuses %s by name', async (url, message) => {
  const error: unknown = await open({ type: 'postgres', url }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    reason: 'CONFIG_INVALID',
    message: expect.stringMatching(message) as string,
  });
});
