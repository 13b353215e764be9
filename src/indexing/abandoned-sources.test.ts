import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEngine } from '../engine/create-engine.js';
import type { Engine } from '../operations/engine.js';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ragstone-abandoned-'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), text);
}

const notes = (name = 'notes') => [{ name, type: 'files' as const, root: 'docs' }];

const PRUNE = /`ragstone index --prune`/;

describe.each(['libsql', 'lancedb'] as const)('a source that no run reads any more (%s)', (provider) => {
  /** One command: an engine of its own, as each process has. */
  async function use<T>(
    work: (engine: Engine) => Promise<T>,
    sources: ReturnType<typeof notes> = [],
  ): Promise<T> {
    const engine = await createEngine({ cwd, config: { provider, sources } });
    return work(engine).finally(() => engine.close());
  }

  const found = () =>
    use(async (engine) => {
      const { results } = await engine.search({ text: 'gate', options: { mode: 'lexical', topK: 20 } });
      return results.map(({ content }) => content.replace(/^#.*\s+/, '')).sort();
    });

  beforeEach(async () => {
    write('docs/a.md', '# A\n\nThe gate is green.\n');
    write('docs/b.md', '# B\n\nThe gate of b.\n');
  });

  test('gives its files to the folder that is indexed instead; search finds no old text', async () => {
    await use((engine) => engine.index(), notes());
    write('docs/a.md', '# A\n\nThe gate is red.\n');
    rmSync(join(cwd, 'docs/b.md'));
    write('docs/c.md', '# C\n\nThe gate of c.\n');
    const { notices } = await use((engine) => engine.index({ paths: ['docs'] }));
    expect(await found()).toEqual(['The gate is red.', 'The gate of c.']);
    expect(notices.join('\n')).toMatch(/"path:docs" now holds .* of "notes"/);
    expect(await use((engine) => engine.verify())).toMatchObject({ ok: true });
    expect((await use((engine) => engine.status())).sources.map(({ source }) => source)).toEqual([
      'path:docs',
    ]);
  });

  test('gives its files to a source of another name, in a rebuild too', async () => {
    await use((engine) => engine.index(), notes());
    const rebuilt = { options: { force: true } };
    await use((engine) => engine.index(rebuilt), notes('handbook'));
    expect(await found()).toEqual(['The gate is green.', 'The gate of b.']);
    expect(await use((engine) => engine.verify(), notes('handbook'))).toMatchObject({ ok: true });
  });

  test('is named by index, status and verify with the command that ends it', async () => {
    write('more/m.md', '# M\n\nThe gate of m.\n');
    await use((engine) => engine.index(), notes());
    await use((engine) => engine.push([{ id: 'p', text: 'The gate of p.' }]));
    const indexed = await use((engine) => engine.index({ paths: ['more'] }));
    expect(indexed).toMatchObject({ success: true });
    for (const said of [indexed.notices, (await use((engine) => engine.status())).notices])
      expect(said).toContainEqual(expect.stringMatching(/"notes" is no longer configured.* 2 documents/));
    const { ok, drift } = await use((engine) => engine.verify());
    expect(ok).toBe(false);
    expect(drift).toMatchObject([
      { kind: 'source-abandoned', source: 'notes', detail: expect.stringMatching(PRUNE) },
    ]);
    await use((engine) => engine.index({ options: { prune: true } }));
    expect(await found()).toEqual(['The gate of m.', 'The gate of p.']);
    expect(await use((engine) => engine.verify())).toMatchObject({ ok: true });
  });

  test('a folder that was renamed fails no later run, is named, and moves to its new name', async () => {
    write('docs/kept.md', '# Kept\n\nThe gate was kept.\n');
    await use((engine) => engine.index({ paths: ['docs'] }));
    renameSync(join(cwd, 'docs'), join(cwd, 'handbook'));
    for (let run = 0; run < 2; run++) {
      const { success, stats, notices } = await use((engine) => engine.index());
      expect({ success, errors: stats.errors, deleted: stats.documentsDeleted }).toEqual({
        success: true,
        errors: [],
        deleted: 0,
      });
      expect(notices).toContainEqual(expect.stringMatching(PRUNE));
    }
    expect((await use((engine) => engine.verify())).drift).toMatchObject([{ kind: 'source-abandoned' }]);
    write('handbook/kept.md', '# Kept\n\nThe gate was changed.\n');
    const { notices } = await use((engine) => engine.index({ paths: ['handbook'] }));
    // What was changed since is not known to be the same file.
    expect(await found()).toEqual([
      'The gate is green.',
      'The gate of b.',
      'The gate was changed.',
      'The gate was kept.',
    ]);
    expect(notices).toContainEqual(expect.stringMatching(/its document is kept .*--prune/));
    await use((engine) => engine.index({ options: { prune: true } }));
    expect(await found()).toEqual(['The gate is green.', 'The gate of b.', 'The gate was changed.']);
    expect((await use((engine) => engine.status())).notices.join()).not.toMatch(PRUNE);
  });
});
