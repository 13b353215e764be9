import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import Database from 'libsql';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import type { RAGSettingsInput } from '../config/schema/index.js';
import { createEngine } from './create-engine.js';
import type { Engine } from './engine.js';

const KEY = { id: 'k', key: randomBytes(32).toString('base64') };
const FIELD = 'salary_band';
/** No word of it is said anywhere else. */
const VALUE = 'zirconflorin';

async function openMarked(cwd: string, rag: RAGSettingsInput = {}, fields = [FIELD]): Promise<Engine> {
  const engine = await createEngine({
    config: { provider: 'libsql', ...rag, security: { encryption: { fields, keys: [KEY] } } },
    cwd,
  });
  onTestFinished(() => engine.close());
  return engine;
}

/** What is in all files of the data folder. */
const bytesIn = (cwd: string): string =>
  readdirSync(join(cwd, '.ragstone'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');

/** Reads it everywhere that a search or a reader looks, then in the files. */
async function expectHidden(engine: Engine, cwd: string, value: unknown): Promise<void> {
  for (const mode of ['lexical', 'hybrid'] as const)
    for (const text of [VALUE, `"${VALUE}"`]) {
      const { results } = await engine.search({ text, options: { mode, minScore: 0 } });
      for (const { content } of results) expect(content).not.toContain(VALUE);
      if (mode === 'lexical') expect(results).toEqual([]);
    }
  const [document] = (await engine.list()).documents;
  expect(document?.metadata[FIELD]).toEqual(value);
  const read = await engine.get(document?.id ?? '');
  expect(read?.text).toContain('archive');
  expect(read?.text).not.toContain(VALUE);
  expect((await engine.verify()).drift).toEqual([]);
  await engine.close();
  expect(bytesIn(cwd)).toContain('archive');
  expect(bytesIn(cwd)).not.toContain(VALUE);
}

describe('a marked field that front matter states', () => {
  test.each([
    ['a word', `${FIELD}: ${VALUE}`, VALUE],
    ['a list of lines', `${FIELD}:\n  - ${VALUE}\n  - B`, [VALUE, 'B']],
    ['a list in brackets', `${FIELD}: [${VALUE}, B] # was ${VALUE}`, [VALUE, 'B']],
    ['a mapping', `${FIELD}:\n  grade: {of: ${VALUE}}\n  since: 2020`, { grade: { of: VALUE }, since: 2020 }],
    ['several lines', `${FIELD}: |\n  first\n\n  ${VALUE}\n`, `first\n\n${VALUE}\n`],
    ['folded lines', `${FIELD}: >-\n  first\n  ${VALUE}`, `first ${VALUE}`],
    ['a quoted name', `"${FIELD}" : '${VALUE}'`, VALUE],
    ['an escaped name', `"salary\\u005fband": ${VALUE}`, VALUE],
    ['a name with a question mark', `? ${FIELD}\n: ${VALUE}`, VALUE],
    ['a value below its name', `${FIELD}:\n  ${VALUE}`, VALUE],
    ['an anchor', `${FIELD}: &band ${VALUE}\nstate: New`, VALUE],
  ])('as %s stands in no file and is found by no search', async (_, lines, value) => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'notes'));
    writeFileSync(
      join(cwd, 'notes', 'ann.md'),
      `---\nteam: librarians\n${lines}\nplace: Utrecht\n---\n\n# Ann\n\nAnn works in the archive.\n`,
    );
    const engine = await openMarked(cwd);
    await engine.index({ paths: ['notes'] });
    const found = await engine.search({ text: 'librarians Utrecht', options: { mode: 'lexical' } });
    expect(found.results[0]?.content).toContain('librarians');
    await expectHidden(engine, cwd, value);
  });

  test.each([
    ['one mapping in braces', `---\n{team: a, ${FIELD}: ${VALUE}, place: b}\n---\n`, VALUE],
    ['line ends of Windows', `---\r\n${FIELD}:\r\n  - ${VALUE}\r\nteam: a\r\n---\r\n`, [VALUE]],
    ['a comment', `---\n# ${FIELD}: ${VALUE}\nteam: a\n---\n`, undefined],
    ['YAML that cannot be read', `---\nteam: [\n${FIELD}: ${VALUE}\n---\n`, undefined],
    ['a name twice', `---\n${FIELD}: a\n${FIELD}: ${VALUE}\n---\n`, undefined],
    ['another language', `---toml\n${FIELD} = "${VALUE}"\n---\n`, undefined],
    ['TOML', `+++\nteam = "a"\n${FIELD} = "${VALUE}"\n+++\n`, undefined],
    ['a table of TOML', `+++\n[${FIELD}]\nof = "${VALUE}"\n+++\n`, undefined],
    ['JSON', `{\n  "team": "a",\n  "${FIELD}": ["${VALUE}"]\n}\n`, undefined],
    ['blank lines above it', `\n \n---\n${FIELD}: ${VALUE}\n---\n`, undefined],
    ['front matter that is never closed', `---\nteam: a\n${FIELD}:\n  - ${VALUE}\n`, undefined],
    ['nothing beside it', `---\n${FIELD}: ${VALUE}\n---\n`, VALUE],
  ])('in %s stands in no file and is found by no search', async (_, opening, value) => {
    const cwd = temporaryFolder();
    const engine = await openMarked(cwd);
    const text = `${opening}\nAnn works in the archive.\n`;
    await engine.push([{ id: 'ann', text, mediaType: 'text/markdown' }]);
    await expectHidden(engine, cwd, value);
  });

  test('and that its source does not take as metadata is taken out of the text', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'notes'));
    writeFileSync(join(cwd, 'notes', 'a.md'), `---\n${FIELD}: ${VALUE}\n---\nAnn works in the archive.\n`);
    const sources = [{ name: 'notes', type: 'files' as const, root: 'notes', frontmatterFields: ['team'] }];
    const engine = await openMarked(cwd, { sources });
    await engine.index();
    await expectHidden(engine, cwd, undefined);
  });

  test('leaves lines and offsets of the rest where the file has them', async () => {
    const engine = await openMarked(temporaryFolder());
    const text = `---\n${FIELD}:\n  - ${VALUE}\n---\n\nAnn works in the archive.\n`;
    await engine.push([{ id: 'ann', text, mediaType: 'text/markdown' }]);
    const { results } = await engine.search('who works in the archive?');
    expect(results.map(({ metadata }) => metadata.lines)).toEqual([{ start: 6, end: 6 }]);
  });
});

describe('a marked field', () => {
  const salaries: readonly (readonly [string, RAGSettingsInput, (cwd: string) => void, unknown])[] = [
    [
      'of a source of files',
      { sources: [{ name: 's', type: 'files', root: 'n', metadata: { [FIELD]: VALUE } }] },
      (cwd) => writeFileSync(join(cwd, 'n', 'a.txt'), 'Ann works in the archive.'),
      VALUE,
    ],
    [
      'of a backlog item',
      {
        sources: [
          {
            name: 's',
            type: 'pbi_json',
            paths: ['n'],
            metadata: { extractors: [{ field: 'pay.band', to: FIELD }] },
          },
        ],
      },
      (cwd) =>
        writeFileSync(
          join(cwd, 'n', 'a.json'),
          JSON.stringify({
            id: 'P-1',
            title: 'The archive',
            description: 'Ann works in the archive.',
            acceptance_criteria: [],
            pay: { band: VALUE },
          }),
        ),
      VALUE,
    ],
    [
      'of a row, in its text and title too',
      {
        sources: [
          {
            name: 's',
            type: 'sql',
            path: 'n/rows.db',
            table: 'people',
            key: ['id'],
            title: 'Ann {band}',
            text: 'Ann works in the archive.\nBand: {band}',
            fields: { [FIELD]: 'band' },
          },
        ],
      },
      (cwd) => {
        const rows = new Database(join(cwd, 'n', 'rows.db'));
        rows.exec(`CREATE TABLE people (id TEXT, band TEXT); INSERT INTO people VALUES ('1', '${VALUE}')`);
        rows.close();
      },
      VALUE,
    ],
  ];

  test.each(salaries)('%s stands in no file and is found by no search', async (_, rag, write, value) => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'n'));
    write(cwd);
    const engine = await openMarked(cwd, rag);
    expect((await engine.index()).stats.errors).toEqual([]);
    await expectHidden(engine, cwd, value);
  });

  test('stands in no file, whatever it holds and whichever way a program pushes it', async () => {
    const leaf = fc.constantFrom(VALUE, `${VALUE} and more`, `é ${VALUE}`);
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.array(tie('value'), { minLength: 1, maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'b c', '#d'), tie('value'), { minKeys: 1, maxKeys: 3 }),
      ),
    }));
    const ways = [
      (given: unknown) => ({ metadata: { [FIELD]: given } }),
      (given: unknown) => ({ metadata: { knowledgeMetadata: { [FIELD]: given } } }),
      (given: unknown) => ({ metadata: { knowledgeMetadata: JSON.stringify({ [FIELD]: given }) } }),
      (given: unknown) => ({ metadata: { knowledgeMetadata: { knowledgeMetadata: { [FIELD]: given } } } }),
      (given: unknown) => ({ metadata: { [FIELD]: given, knowledgeMetadata: { [FIELD]: `${VALUE} too` } } }),
      (given: unknown) => ({ front: `${FIELD}: ${JSON.stringify(given)}` }),
      (given: unknown) => ({
        front: `a: 1\n${JSON.stringify(FIELD)}:\n  ${JSON.stringify(given, null, 2).replaceAll('\n', '\n  ')}\nz: 2`,
      }),
    ];
    const cwd = temporaryFolder();
    const engine = await openMarked(cwd);
    let count = 0;
    await fc.assert(
      fc.asyncProperty(value, fc.constantFrom(...ways), async (given, way) => {
        const { front, metadata } = way(given) as { front?: string; metadata?: Record<string, never> };
        const id = `d${count++}`;
        const text = `${front === undefined ? '' : `---\n${front}\n---\n`}Ann works in the archive.`;
        const { stats } = await engine.push([
          { id, text, mediaType: 'text/markdown', ...(metadata === undefined ? {} : { metadata }) },
        ]);
        expect(stats.errors).toEqual([]);
        expect((await engine.get(id))?.metadata[FIELD]).toEqual(given);
      }),
      { numRuns: 40 },
    );
    const { results } = await engine.search({ text: VALUE, options: { mode: 'lexical' } });
    expect(results).toEqual([]);
    await engine.close();
    expect(bytesIn(cwd)).not.toContain(VALUE);
  });
});

describe('an index that was made before the field was marked', () => {
  const STORES: readonly RAGSettingsInput['provider'][] = ['libsql', 'lancedb', 'usearch'];

  /** Pushed documents, a file and an older revision of each, in clear. */
  async function clearIndex(cwd: string, rag: RAGSettingsInput): Promise<void> {
    const engine = await createEngine({ config: rag, cwd });
    mkdirSync(join(cwd, 'n'));
    for (const round of [1, 2]) {
      const text = `---\n${FIELD}: [${VALUE}${round}]\nteam: red\n---\n\n# Ann ${round}\n\nAnn works in the archive.\n`;
      writeFileSync(join(cwd, 'n', 'a.md'), text);
      await engine.index();
      await engine.push([
        { id: 'page', text, mediaType: 'text/markdown' },
        { id: 'only', text: `---\n${FIELD}: ${VALUE}\n---\n`, mediaType: 'text/markdown' },
        { id: 'fact', text: `Bob ${round} works in the archive.`, metadata: { [FIELD]: `${VALUE}${round}` } },
        {
          id: 'http',
          text: `Cor ${round} works in the archive.`,
          metadata: { knowledgeMetadata: { [FIELD]: `${VALUE}${round}` } },
        },
        { id: 'plain', text: `Dirk ${round} works in the archive.`, metadata: { team: 'blue' } },
      ]);
    }
    expect((await engine.search(`archive ${VALUE}2`)).results).not.toEqual([]);
    await engine.close();
  }

  test.each(STORES)('is named by verify, and clean after a rotation and a run, in %s', async (provider) => {
    const cwd = temporaryFolder();
    const rag: RAGSettingsInput = {
      provider,
      history: { keep: '1y' },
      retrieval: { cache: { enabled: true } },
      sources: [{ name: 'n', type: 'files', root: 'n' }],
    };
    await clearIndex(cwd, rag);
    expect(bytesIn(cwd)).toContain(VALUE);
    const engine = await openMarked(cwd, rag);
    const named = (await engine.verify()).drift.filter(({ kind }) => kind === 'field-readable');
    const places = ['ledger', 'store', 'history'].flatMap((place) => [
      `5 documents stands in clear in the metadata of the ${place}`,
      `3 documents stands in clear in the texts of the ${place}`,
    ]);
    expect(named.map(({ detail }) => /of (.*?)\./.exec(detail)?.[1]).sort()).toEqual(places.sort());
    expect(new Set(named.map(({ source }) => source))).toEqual(new Set([FIELD]));
    expect(JSON.stringify(named)).not.toContain(VALUE);
    await engine.index();
    await engine.rotateEncryption();
    expect((await engine.verify()).drift).toEqual([]);
    const { results } = await engine.search({ text: VALUE, options: { mode: 'lexical' } });
    expect(results).toEqual([]);
    const found = await engine.search({ text: 'works in the archive', options: { topK: 20 } });
    expect(found.results.map(({ metadata }) => metadata[FIELD])).toEqual(
      expect.arrayContaining([[`${VALUE}2`], `${VALUE}2`, undefined]),
    );
    expect((await engine.search({ text: 'red', options: { mode: 'lexical' } })).results).toHaveLength(1);
    await engine.close();
    expect(bytesIn(cwd)).toContain('archive');
    expect(bytesIn(cwd)).not.toContain(VALUE);
  });
});
