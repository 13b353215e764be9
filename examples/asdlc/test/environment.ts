import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

// Imported first: nothing that a person has set for another system is read.
for (const name of Object.keys(process.env))
  if (/^(KNOWLEDGE_STORE|ASDLC)_/.test(name)) delete process.env[name];

/** A new folder, which is removed after the tests. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'asdlc-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Names a backend as an operator does: by variables, with a collection of its own. */
export function chooseBackend(variables: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(process.env))
    if (name.startsWith('KNOWLEDGE_STORE_')) delete process.env[name];
  Object.assign(process.env, { KNOWLEDGE_STORE_COLLECTION: `t-${randomUUID()}`, ...variables });
}

// The embedded store is below the working folder.
process.chdir(temporaryFolder());
