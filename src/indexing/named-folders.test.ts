import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEngine } from '../engine/create-engine.js';
import { trustFolder } from '../engine/trust-folder.js';
import type { Engine, IndexRequest } from '../operations/engine.js';

let folder: string;
let env: Readonly<Record<string, string>>;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'ragstone-named-')));
  env = { XDG_STATE_HOME: at('state'), HOME: at('home') };
  write('input/docs/a.md', '# A\n\nThe kiln burns at 900 degrees.\n');
  write('input/docs/b.md', '# B\n\nThe glaze dries in two days.\n');
  mkdirSync(join(folder, 'elsewhere'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (path: string): string => join(folder, path);

function write(path: string, text: string): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
}

/** One command in a folder, with a data folder. */
async function use<T>(cwd: string, work: (engine: Engine) => Promise<T>, data = 'data'): Promise<T> {
  const parts = { cwd: at(cwd), dataDir: at(data), env, config: { provider: 'libsql' as const } };
  const engine = await createEngine(parts);
  return work(engine).finally(() => engine.close());
}

const index = (cwd: string, request: IndexRequest = {}, data?: string) =>
  use(cwd, (engine) => engine.index(request), data);

const found = (cwd: string, text: string, data?: string) =>
  use(cwd, async (engine) => (await engine.search({ text, options: { mode: 'lexical' } })).results, data);

const sources = (cwd: string, data?: string) =>
  use(cwd, async (engine) => (await engine.status()).sources.map(({ source }) => source), data);

const GONE = /not there any more/;

describe('a folder that was named', () => {
  test.each([
    ['by a relative path', 'docs'],
    ['with a slash', './docs/'],
    ['from above', '../input/docs'],
    ['by an absolute path', undefined],
  ])('%s is read by a run in any other folder, and found where it lies', async (_, path) => {
    await index('input', { paths: [path ?? at('input/docs')] });
    write('input/docs/a.md', '# A\n\nThe kiln burns at 950 degrees.\n');
    const { success, stats, notices } = await index('elsewhere');
    expect({ success, errors: stats.errors }).toEqual({ success: true, errors: [] });
    expect(stats).toMatchObject({ documentsProcessed: 1, documentsUnchanged: 1, documentsDeleted: 0 });
    expect(notices.join('\n')).not.toMatch(GONE);
    const [kiln] = await found('elsewhere', 'kiln');
    expect(kiln).toMatchObject({
      content: expect.stringContaining('950'),
      origin: { path: at('input/docs/a.md') },
    });
    expect(await use('elsewhere', (engine) => engine.verify())).toMatchObject({ ok: true });
  });

  test('is kept by --prune in another folder', async () => {
    await index('input', { paths: ['docs'] });
    const { stats } = await index('elsewhere', { options: { prune: true } });
    expect(stats).toMatchObject({ documentsUnchanged: 2, documentsDeleted: 0 });
  });

  test('in the project of its index is read from anywhere', async () => {
    await index('input', { paths: ['docs'] }, 'input/.ragstone');
    const { stats } = await index('elsewhere', { options: { prune: true } }, 'input/.ragstone');
    expect(stats).toMatchObject({ documentsUnchanged: 2, documentsDeleted: 0, errors: [] });
    expect((await found('elsewhere', 'kiln', 'input/.ragstone'))[0]?.origin.path).toBe(at('input/docs/a.md'));
  });

  test('in two ways is one source', async () => {
    symlinkSync(at('input/docs'), at('link'));
    await index('input', { paths: ['docs'] });
    for (const [cwd, path] of [
      ['.', 'link'],
      ['.', 'link/'],
      ['elsewhere', '../input/./docs'],
      ['input/docs', '.'],
    ] as const)
      expect((await index(cwd, { paths: [path] })).stats).toMatchObject({
        documentsUnchanged: 2,
        documentsProcessed: 0,
      });
    await index('.', { paths: ['link', 'input/docs', 'input/docs/'] });
    expect(await sources('.')).toHaveLength(1);
  });

  test('is another one than a folder of the same name elsewhere, which has an index with it', async () => {
    write('elsewhere/docs/c.md', '# C\n\nThe wheel turns.\n');
    await index('input', { paths: ['docs'] });
    expect((await index('elsewhere', { paths: ['docs'] })).stats.documentsDeleted).toBe(0);
    expect((await index('.')).stats).toMatchObject({ documentsUnchanged: 3, documentsDeleted: 0 });
    expect(await sources('.')).toEqual([`path:${at('elsewhere/docs')}`, `path:${at('input/docs')}`]);
  });

  test('stays where it was when a link to it goes', async () => {
    symlinkSync(at('input/docs'), at('link'));
    await index('.', { paths: ['link'] });
    rmSync(at('link'));
    const { stats, notices } = await index('elsewhere', { options: { prune: true } });
    expect(stats).toMatchObject({ documentsUnchanged: 2, documentsDeleted: 0 });
    expect(notices.join('\n')).not.toMatch(GONE);
  });

  describe('by a link that is turned', () => {
    const turn = (target: string): void => {
      rmSync(at('current'), { recursive: true, force: true });
      symlinkSync(target, at('current'));
    };
    const kilns = async () =>
      (await found('elsewhere', 'kiln')).map(({ content }) => /\d+/.exec(content)?.[0]);

    beforeEach(() => {
      write('v1/a.md', '# A\n\nThe kiln burns at 900 degrees.\n');
      write('v1/b.md', '# B\n\nThe kiln of b burns at 910 degrees.\n');
      write('v2/a.md', '# A\n\nThe kiln burns at 950 degrees.\n');
      write('v2/c.md', '# C\n\nThe kiln of c burns at 960 degrees.\n');
      turn('v1');
    });

    test.each([
      ['by a run that names nothing', undefined],
      ['by a run that names it again', ['current']],
    ])('is read where it leads now %s, and nothing else is left', async (_, paths) => {
      await index('.', { paths: ['current'] });
      turn('v2');
      const { stats, notices } = await index('.', paths === undefined ? {} : { paths });
      expect(stats).toMatchObject({ documentsProcessed: 2, documentsDeleted: 2, errors: [] });
      expect((await kilns()).sort()).toEqual(['950', '960']);
      expect(await sources('.')).toEqual([`path:${at('v2')}`]);
      expect(notices.join('\n')).not.toContain('earlier version');
      expect(notices.join('\n')).toContain('now holds a file of');
      expect(notices.join('\n')).toMatch(/a file of .* is not in the source .* deleted from the index/);
      expect((await index('.')).stats).toMatchObject({ documentsUnchanged: 2, documentsProcessed: 0 });
      turn('v1');
      await index('elsewhere');
      expect((await kilns()).sort()).toEqual(['900', '910']);
      expect(await use('.', (engine) => engine.verify())).toMatchObject({ ok: true });
    });

    test('above it is followed, and in a project that moved', async () => {
      write('project/v1/docs/a.md', 'The kiln burns at 100 degrees.');
      write('project/v2/docs/a.md', 'The kiln burns at 200 degrees.');
      symlinkSync('v1', at('project/now'));
      await index('project', { paths: ['now/docs'] }, 'project/.ragstone');
      renameSync(at('project'), at('moved'));
      expect((await index('moved', {}, 'moved/.ragstone')).stats).toMatchObject({ documentsUnchanged: 1 });
      rmSync(at('moved/now'));
      symlinkSync('v2', at('moved/now'));
      await index('moved', {}, 'moved/.ragstone');
      const results = await found('moved', 'kiln', 'moved/.ragstone');
      expect(results.map(({ content }) => content)).toEqual(['The kiln burns at 200 degrees.']);
    });

    test('leaves the folder itself alone where that was named, too', async () => {
      await index('.', { paths: ['current'] });
      await index('.', { paths: ['v1'] });
      turn('v2');
      expect((await index('.')).stats).toMatchObject({ documentsUnchanged: 2, documentsDeleted: 0 });
      await index('.', { paths: ['current'] });
      expect((await kilns()).sort()).toEqual(['900', '910', '950', '960']);
    });

    test('to nothing keeps what is indexed', async () => {
      await index('.', { paths: ['current'] });
      turn('nowhere');
      expect((await index('.')).stats).toMatchObject({ documentsUnchanged: 2, documentsDeleted: 0 });
    });

    test('to a folder that holds next to nothing loses many documents only where that is allowed', async () => {
      for (let i = 0; i < 30; i++) write(`v1/${i}.md`, `Kiln number ${i} burns.`);
      mkdirSync(at('v3'));
      await index('.', { paths: ['current'] });
      turn('v3');
      const stopped = await index('.');
      expect(stopped).toMatchObject({ success: false, stats: { documentsDeleted: 0 } });
      expect(stopped.stats.errors).toMatchObject([{ source: `path:${at('v3')}`, reason: 'SOURCE_SHRUNK' }]);
      const { stats } = await index('.', { options: { allowShrink: true } });
      expect(stats).toMatchObject({ documentsDeleted: 32, errors: [] });
      expect((await index('.', { paths: ['v1'] })).stats.documentsProcessed).toBe(32);
    });

    test('is said by status and verify until it is read', async () => {
      await index('.', { paths: ['current'] });
      turn('v2');
      const { notices } = await use('.', (engine) => engine.status());
      expect(notices.join('\n')).toContain(`is read from ${at('v2')} by the next`);
    });

    test('and a folder that becomes a link are told as what they are', async () => {
      await index('.', { paths: ['v1'] });
      renameSync(at('v1'), at('v0'));
      symlinkSync('v0', at('v1'));
      const { notices, stats } = await index('.');
      expect(stats.errors).toEqual([]);
      expect(notices.join('\n')).not.toContain('earlier version');
      expect(await sources('.')).toEqual([`path:${at('v0')}`]);
    });
  });

  test('moves with the project that its index is in', async () => {
    await index('input', { paths: ['docs'] }, 'input/.ragstone');
    renameSync(at('input'), at('moved'));
    expect((await index('moved', {}, 'moved/.ragstone')).stats).toMatchObject({
      documentsUnchanged: 2,
      errors: [],
    });
    expect(await sources('moved', 'moved/.ragstone')).toEqual(['path:docs']);
  });

  test('is where it was when its index alone moves', async () => {
    await index('input', { paths: ['docs'] }, 'input/.ragstone');
    renameSync(at('input/.ragstone'), at('data'));
    const { stats } = await use('input', (engine) => engine.index({ options: { prune: true } }));
    expect(stats).toMatchObject({ documentsProcessed: 2, errors: [] });
    expect((await found('elsewhere', 'kiln'))[0]?.origin.path).toBe(at('input/docs/a.md'));
    expect(await sources('elsewhere')).toEqual([`path:${at('input/docs')}`]);
    expect(await use('input', (engine) => engine.verify())).toMatchObject({ ok: true });
  });

  /** Its data folder moves to another project, which has a folder of the same name. */
  async function moveIndexTo(text: string): Promise<void> {
    await index('input', { paths: ['docs'] }, 'input/.ragstone');
    write('elsewhere/docs/a.md', text);
    write('elsewhere/docs/b.md', '# B\n\nThe wheel turns.\n');
    renameSync(at('input/.ragstone'), at('elsewhere/.ragstone'));
  }

  test.each([[{}], [{ options: { prune: true } }]])(
    'is another one than one of its name beside an index that moved: it is read once it is trusted (%j)',
    async (request) => {
      await moveIndexTo('# A\n\nThe lathe hums.\n');
      const data = 'elsewhere/.ragstone';
      const named = await index('elsewhere', { paths: ['docs'] }, data).catch((error: unknown) => error);
      expect(named).toMatchObject({ reason: 'USAGE', message: expect.stringContaining(at('input/docs')) });
      await expect(index('elsewhere', request, data)).rejects.toThrow('ragstone trust');
      const { risks } = await trustFolder(at('elsewhere'), { dataDir: at(data), env });
      expect(risks.map(({ what }) => what)).toContainEqual(expect.stringContaining(at('input/docs')));
      const { stats } = await index('elsewhere', request, data);
      expect(stats).toMatchObject({ documentsProcessed: 2, errors: [] });
      expect((await found('elsewhere', 'kiln', data))[0]?.origin.path).toBe(at('input/docs/a.md'));
      await index('elsewhere', { paths: ['docs'] }, data);
      const [kiln, lathe] = [await found('elsewhere', 'kiln', data), await found('elsewhere', 'lathe', data)];
      expect(kiln.map(({ origin }) => origin.path)).toEqual([at('input/docs/a.md')]);
      expect(lathe.map(({ origin }) => origin.path)).toEqual([at('elsewhere/docs/a.md')]);
      expect((await index('elsewhere', {}, data)).stats).toMatchObject({ documentsUnchanged: 4, errors: [] });
    },
  );

  test('is the one beside an index that moved where half of its files are as they were', async () => {
    await moveIndexTo('# A\n\nThe kiln burns at 900 degrees.\n');
    const data = 'elsewhere/.ragstone';
    expect((await index('elsewhere', {}, data)).stats).toMatchObject({ documentsUnchanged: 1, errors: [] });
    expect((await found('elsewhere', 'kiln', data))[0]?.origin.path).toBe(at('elsewhere/docs/a.md'));
    expect(await sources('elsewhere', data)).toEqual(['path:docs']);
  });

  test('beside one inside it holds each file once, from any folder', async () => {
    write('input/docs/api/c.md', '# C\n\nThe wheel turns.\n');
    await index('input', { paths: ['docs'] });
    await index('elsewhere', { paths: ['../input/docs/api'] });
    expect(await found('.', 'wheel')).toHaveLength(1);
    expect((await index('.')).stats).toMatchObject({ documentsUnchanged: 3, documentsDeleted: 0 });
  });

  test('and is gone is said, kept, and given up by prune', async () => {
    await index('input', { paths: ['docs'] });
    rmSync(at('input/docs'), { recursive: true });
    const { notices, stats } = await index('elsewhere');
    expect(stats.documentsDeleted).toBe(0);
    expect(notices).toContainEqual(expect.stringMatching(GONE));
    expect((await index('elsewhere', { options: { prune: true } })).stats.documentsDeleted).toBe(2);
  });

  test('whose way is closed fails the run and loses nothing', async () => {
    await index('input', { paths: ['docs'] });
    // Full read access meets a loop of links.
    renameSync(at('input'), at('away'));
    symlinkSync('input', at('input'));
    const { success, stats } = await index('elsewhere', { options: { prune: true } });
    expect(success).toBe(false);
    expect(stats).toMatchObject({ documentsDeleted: 0, errors: [{ reason: 'SOURCE_UNREADABLE' }] });
  });

  test.each(['input', 'input/docs'])(
    'behind a loop of links (%s) is found, told and answered from',
    async (path) => {
      await index('input', { paths: ['docs'] });
      renameSync(at(path), at('away'));
      symlinkSync(at(path), at(path));
      expect((await found('elsewhere', 'kiln'))[0]?.origin.path).toBe(at('input/docs/a.md'));
      const answer = await use('elsewhere', (engine) =>
        engine.ask('At how many degrees does the kiln burn?'),
      );
      expect(answer.answer).toContain('900');
      const status = await use('elsewhere', (engine) => engine.status());
      expect(status.sources).toMatchObject([{ source: `path:${at('input/docs')}` }]);
      expect((await index('elsewhere')).stats.errors).toMatchObject([{ reason: 'SOURCE_UNREADABLE' }]);
      const [source] = (await use('elsewhere', (engine) => engine.status())).sources;
      expect(source?.sync?.lastError).toMatchObject({ reason: 'SOURCE_UNREADABLE' });
    },
  );

  test('whose way is closed is kept by prune in a run of another folder', async () => {
    write('other/c.md', '# C\n\nThe wheel turns.\n');
    await index('.', { paths: ['input/docs', 'other'] });
    renameSync(at('input'), at('away'));
    symlinkSync('input', at('input'));
    const { stats } = await index('.', { paths: ['other'], options: { prune: true } });
    expect(stats).toMatchObject({ documentsUnchanged: 1, documentsDeleted: 0 });
    expect(await found('elsewhere', 'kiln')).toHaveLength(1);
  });
});

describe('what is asked before sources are given up', () => {
  const confirmed = async (answer: boolean) => {
    await index('input', { paths: ['docs'] });
    rmSync(at('input/docs'), { recursive: true });
    const asked: unknown[] = [];
    const confirmPrune = (pruned: unknown): boolean => {
      asked.push(pruned);
      return answer;
    };
    const { stats } = await index('elsewhere', { options: { prune: true }, confirmPrune });
    return { asked, deleted: stats.documentsDeleted };
  };

  test('names each with its documents; no keeps them', async () => {
    const pruned = [[{ source: `path:${at('input/docs')}`, documents: 2 }]];
    expect(await confirmed(false)).toEqual({ asked: pruned, deleted: 0 });
    expect((await index('elsewhere')).notices).toContainEqual(expect.stringMatching(GONE));
  });

  test('yes deletes them; where nothing would be deleted nothing is asked', async () => {
    expect((await confirmed(true)).deleted).toBe(2);
    const confirmPrune = (): never => expect.fail('it was asked');
    await index('elsewhere', { options: { prune: true }, confirmPrune, paths: ['.'] });
  });
});

describe('an index of an earlier version, which kept relative names alone', () => {
  /** As earlier versions wrote it in `input`. */
  async function writeOldIndex(): Promise<void> {
    await index('input', { paths: ['docs'] }, 'input/.ragstone');
    const ledger = new Database(at('input/.ragstone/ledger.db'));
    ledger.exec("DELETE FROM source_root WHERE source LIKE 'path:%'");
    ledger.close();
    renameSync(at('input/.ragstone'), at('data'));
  }

  test('answers at once and is named by status; what is not known again is left until it is given up', async () => {
    await writeOldIndex();
    expect((await found('elsewhere', 'kiln'))[0]?.origin.path).toBeUndefined();
    expect((await found('input', 'kiln'))[0]?.origin.path).toBe(at('input/docs/a.md'));
    const { notices } = await use('input', (engine) => engine.status());
    expect(notices).toContainEqual(expect.stringContaining('"path:docs"'));
    write('input/docs/a.md', '# A\n\nThe kiln burns at 950 degrees.\n');
    write('input/docs/b.md', '# B\n\nThe glaze dries in three days.\n');
    await index('input', { paths: ['docs'] });
    expect(await found('elsewhere', 'glaze')).toHaveLength(2);
    await index('elsewhere', { options: { prune: ['path:docs'] } });
    expect(await found('elsewhere', 'glaze')).toHaveLength(1);
    expect((await index('elsewhere')).stats).toMatchObject({ documentsUnchanged: 2, errors: [] });
  });

  test('is brought in step without being named where half of its files are as they were', async () => {
    write('input/docs/c.md', '# C\n\nThe wheel turns.\n');
    await writeOldIndex();
    write('input/docs/a.md', '# A\n\nThe kiln burns at 950 degrees.\n');
    expect(await index('input')).toMatchObject({ success: true });
    const kiln = await found('elsewhere', 'kiln');
    expect(kiln.map(({ content }) => content)).toEqual([expect.stringContaining('950')]);
    expect(await sources('elsewhere')).toEqual([`path:${at('input/docs')}`]);
    expect((await use('elsewhere', (engine) => engine.status())).notices).toEqual([]);
    expect((await index('elsewhere')).stats).toMatchObject({ documentsUnchanged: 3, documentsProcessed: 0 });
    expect(await use('elsewhere', (engine) => engine.verify())).toMatchObject({ ok: true });
  });

  test.each([
    ['without such a folder', []],
    ['with another folder of its name', ['elsewhere/docs/a.md']],
  ])('fails a run elsewhere %s, says what to do, and loses nothing, with prune neither', async (_, files) => {
    await writeOldIndex();
    for (const file of files) write(file, '# Another\n\nA page of another folder.\n');
    for (const prune of [false, true]) {
      const { success, stats } = await index('elsewhere', { options: { prune } });
      expect(success).toBe(false);
      expect(stats).toMatchObject({ documentsDeleted: 0, documentsProcessed: 0 });
      expect(stats.errors).toMatchObject([
        { source: 'path:docs', message: expect.stringContaining('once more') },
      ]);
    }
    expect(await found('elsewhere', 'kiln')).toHaveLength(1);
    const pruned = await index('elsewhere', { options: { prune: ['path:docs'] }, paths: ['.'] });
    expect(pruned.stats.documentsDeleted).toBe(2);
  });

  test.each([
    ['by itself', {}],
    ['by its name', { paths: ['docs'] }],
  ])('keeps out what was forgotten, when it is brought in step %s', async (_, request) => {
    const before = 'input/.ragstone';
    await index('input', { paths: ['docs'] }, before);
    await use('input', (engine) => engine.forget({ documents: ['b.md'] }), before);
    await use('input', (engine) => engine.index(), before);
    await writeOldIndex();
    for (const round of [request, {}]) {
      const { stats } = await index('input', round);
      expect(stats.forgotten).toEqual({ [`path:${at('input/docs')}`]: 1 });
      expect(await found('elsewhere', 'glaze')).toEqual([]);
    }
  });

  test('keeps no failure of a run elsewhere once it is in step', async () => {
    await writeOldIndex();
    expect((await index('elsewhere')).stats.errors).toMatchObject([{ reason: 'SOURCE_NOT_FOUND' }]);
    expect(await index('input')).toMatchObject({ success: true });
    const { sources } = await use('elsewhere', (engine) => engine.status());
    expect(sources.map(({ source, sync }) => [source, sync?.lastError])).toEqual([
      [`path:${at('input/docs')}`, undefined],
    ]);
  });

  test('of a project goes on as it was', async () => {
    await writeOldIndex();
    cpSync(at('data'), at('input/.ragstone'), { recursive: true });
    write('input/docs/a.md', '# A\n\nThe kiln burns at 950 degrees.\n');
    write('input/docs/b.md', '# B\n\nThe glaze dries in three days.\n');
    const { success, notices } = await index('input', {}, 'input/.ragstone');
    expect({ success, notices }).toEqual({ success: true, notices: [] });
    expect(await sources('input', 'input/.ragstone')).toEqual(['path:docs']);
  });
});
