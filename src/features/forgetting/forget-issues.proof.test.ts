import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { IS_LONG } from '../../../tests/long-forms.js';
import { eq } from '../../core/filter.js';
import { createEngine } from '../../engine/create-engine.js';
import type { Engine } from '../../operations/engine.js';
import { filesWith } from '../../testing/files-with.js';

const DATA = fileURLToPath(new URL('../../../../shared/data/fixtures/jira-issues', import.meta.url));
const hasData = existsSync(DATA);
if (!hasData) console.warn('The issues to forget are not there; skipped.');
/** All 23,313 with RAGSTONE_SLOW=1. */
const ISSUES = IS_LONG ? Infinity : 600;
const BATCH = 1_000;
/** Stands in no issue. */
const NAME = 'Ottoline Quaggadromous';
const WORDS = ['quaggadromous', 'ottoline'];

interface Issue {
  readonly issuekey: string;
  readonly title: string;
  readonly description: string;
}

function readIssues(): Issue[] {
  const files = readdirSync(DATA).filter((name) => name.endsWith('.csv'));
  const each = Math.ceil(ISSUES / files.length);
  return files
    .flatMap((name) =>
      parse<Issue>(readFileSync(join(DATA, name), 'utf8'), { columns: true, relax_quotes: true }).slice(
        0,
        each,
      ),
    )
    .slice(0, ISSUES);
}

let folder: string;
let engine: Engine;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'forget-issues-'));
});
afterEach(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

describe.skipIf(!hasData).each(['libsql', 'lancedb'] as const)('a reporter of issues (%s)', (provider) => {
  test(
    'stands in the files before, and in none after he is forgotten',
    async () => {
      engine = await createEngine({
        config: { provider },
        dataDir: join(folder, 'data'),
        cwd: folder,
      });
      const issues = readIssues();
      const isHis = (index: number): boolean => index % 25 === 0;
      for (let start = 0; start < issues.length; start += BATCH)
        await engine.push(
          issues.slice(start, start + BATCH).map(({ issuekey, title, description }, offset) => {
            const reporter = isHis(start + offset) ? NAME : 'somebody else';
            return {
              id: issuekey,
              title,
              text: `${title}\n\n${description}\n\nReported by ${reporter}.`,
              metadata: { reporter },
            };
          }),
        );
      const dataDir = join(folder, 'data');
      for (const word of WORDS) expect(await filesWith(dataDir, word)).not.toEqual([]);
      const receipt = await engine.forget({ filter: eq('reporter', NAME) });
      expect(receipt.documents).toBe(Math.ceil(issues.length / 25));
      for (const word of WORDS) expect(await filesWith(dataDir, word)).toEqual([]);
      expect(await engine.checkReceipt(receipt.id)).toMatchObject({ clean: true, found: [] });
      const others = await engine.list({ limit: 1_000, filter: eq('reporter', 'somebody else') });
      expect(others.documents).toHaveLength(Math.min(1_000, issues.length - receipt.documents));
      expect(await engine.verify()).toMatchObject({ ok: true });
    },
    30 * 60_000,
  );
});
