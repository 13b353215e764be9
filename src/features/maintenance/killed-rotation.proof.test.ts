import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder, writeFiles } from '../../../tests/e2e/temporary-folder.js';
import { IS_LONG } from '../../../tests/long-forms.js';
import type { RAGSettingsInput } from '../../config/schema/index.js';
import { createEngine } from '../../engine/create-engine.js';
import { filesWith } from '../../testing/files-with.js';

const ENGINE = new URL('../../engine/create-engine.ts', import.meta.url).href;
const LOADER = fileURLToPath(import.meta.resolve('tsx'));
const VALUE = 'zirconflorin';
const COUNT = 4;
const KEY = { id: 'k', key: randomBytes(32).toString('base64') };

const TOGETHER: RAGSettingsInput = { provider: 'libsql', sources: [{ name: 'n', type: 'files', root: 'n' }] };
/** No transaction spans two files. */
const APART: RAGSettingsInput = { ...TOGETHER, storage: { local: { path: 'store' } } };
const marked = (settings: RAGSettingsInput): RAGSettingsInput => ({
  ...settings,
  security: { encryption: { fields: ['salary_band'], keys: [KEY] } },
});

/** Documents that programs handed in, and files, of two chunks each. */
async function clearIndex(settings: RAGSettingsInput): Promise<string> {
  const cwd = temporaryFolder();
  const textOf = (n: number): string =>
    `---\nsalary_band: ${VALUE}${n}\nteam: red\n---\n\n# Person ${n}\n\n${'The archive opens at nine. '.repeat(60)}\n\n# More of ${n}\n\n${'The tower stands by the river. '.repeat(60)}\n`;
  const ids = Array.from({ length: COUNT }, (_, n) => n);
  writeFiles(cwd, Object.fromEntries(ids.map((n) => [join('n', `f${n}.md`), textOf(n)])));
  const engine = await createEngine({ config: settings, cwd });
  await engine.index();
  await engine.push(
    ids.map((n) => ({
      id: `d${n}`,
      text: textOf(n),
      mediaType: 'text/markdown',
      metadata: { salary_band: `${VALUE}${n}` },
    })),
  );
  await engine.close();
  return cwd;
}

/** Rotates in a process of its own, which kills itself before its n-th commit, or when the work is done; says which it was. */
async function rotateUntil(
  commit: number,
  settings: RAGSettingsInput,
  cwd: string,
): Promise<'killed' | 'done'> {
  const script = `
    import Database from 'libsql';
    import { createEngine } from ${JSON.stringify(ENGINE)};
    let left = ${commit};
    const exec = Database.prototype.exec;
    Database.prototype.exec = function (sql) {
      if (sql === 'COMMIT' && --left === 0) process.kill(process.pid, 'SIGKILL');
      return exec.call(this, sql);
    };
    const engine = await createEngine(${JSON.stringify({ config: marked(settings), cwd })});
    await engine.rotateEncryption();
    await engine.close();`;
  const child = spawn(process.execPath, ['--import', LOADER, '--input-type=module', '-e', script], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return new Promise((resolve, reject) => {
    child.once('exit', (code, signal) =>
      signal === 'SIGKILL'
        ? resolve('killed')
        : code === 0
          ? resolve('done')
          : reject(new Error(String(code))),
    );
  });
}

test.each([
  ['one file', TOGETHER],
  ['files of their own', APART],
])(
  'what a rotation left that was killed is healed by the next one, with ledger and store in %s',
  {
    timeout: 240_000,
  },
  async (_, settings) => {
    const before = await clearIndex(settings);
    const killedAt: number[] = [];
    for (let commit = 1; ; commit += IS_LONG ? 1 : 4) {
      const cwd = temporaryFolder();
      cpSync(before, cwd, { recursive: true });
      if ((await rotateUntil(commit, settings, cwd)) === 'done') break;
      killedAt.push(commit);
      const engine = await createEngine({ config: marked(settings), cwd });
      onTestFinished(() => engine.close());
      const rotated = await engine.rotateEncryption();
      expect([commit, rotated]).toEqual([commit, { documents: 2 * COUNT, rewritten: expect.any(Number) }]);
      const { drift } = await engine.verify();
      // The files are read again by the next run, for a field is marked since.
      expect(drift.filter(({ kind }) => kind !== 'source-changed')).toEqual([]);
      const { documents } = await engine.list();
      expect(documents.map(({ metadata }) => metadata.team)).toEqual(documents.map(() => 'red'));
      expect(documents).toHaveLength(2 * COUNT);
      for (const { id, externalId, title } of documents) {
        const number = /\d+/.exec(externalId)?.[0] ?? '';
        const read = await engine.get(id);
        expect([title, read?.metadata.salary_band]).toEqual([`Person ${number}`, `${VALUE}${number}`]);
        expect(read?.text).toContain('The tower stands by the river.');
      }
      await engine.close();
      expect(await filesWith(join(cwd, '.ragstone'), VALUE)).toEqual([]);
      if (settings.storage !== undefined) expect(await filesWith(join(cwd, 'store'), VALUE)).toEqual([]);
    }
    expect(killedAt.length).toBeGreaterThan(1);
  },
);
