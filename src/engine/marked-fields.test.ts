import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import Database from 'libsql';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import type { RAGSettingsInput } from '../config/schema/index.js';
import type { Engine } from '../operations/engine.js';
import { filesWith } from '../testing/files-with.js';
import { createEngine } from './create-engine.js';

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

/** Texts that the ledger compresses are looked at, too. */
const expectNowhere = async (cwd: string, word: string): Promise<void> =>
  expect(await filesWith(join(cwd, '.ragstone'), word)).toEqual([]);

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
  await expectNowhere(cwd, VALUE);
}

describe('a marked field that front matter states', () => {
  /** Lines of a file that states other fields, too. */
  const LINES: readonly (readonly [string, string, unknown])[] = [
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
  ];
  /** What stands above a text that is pushed. */
  const OPENINGS: readonly (readonly [string, string, unknown])[] = [
    ['one mapping in braces', `---\n{team: a, ${FIELD}: ${VALUE}, place: b}\n---\n`, VALUE],
    ['line ends of Windows', `---\r\n${FIELD}:\r\n  - ${VALUE}\r\nteam: a\r\n---\r\n`, [VALUE]],
    ['a comment', `---\n# ${FIELD}: ${VALUE}\nteam: a\n---\n`, undefined],
    ['YAML that cannot be read', `---\nteam: [\n${FIELD}: ${VALUE}\n---\n`, undefined],
    ['a name twice', `---\n${FIELD}: a\n${FIELD}: ${VALUE}\n---\n`, undefined],
    ['TOML that its fence names', `---toml\n${FIELD} = "${VALUE}"\n---\n`, VALUE],
    ['another language', `---js\n${FIELD} = "${VALUE}"\n---\n`, undefined],
    ['TOML', `+++\nteam = "a"\n${FIELD} = "${VALUE}"\n+++\n`, VALUE],
    ['a table of TOML', `+++\n[${FIELD}]\nof = "${VALUE}"\n+++\n`, { of: VALUE }],
    ['a table inside TOML', `+++\n[person]\n${FIELD} = "${VALUE}"\n+++\n`, undefined],
    ['JSON', `{\n  "team": "a",\n  "${FIELD}": ["${VALUE}"]\n}\n`, [VALUE]],
    ['blank lines above it', `\n \n---\n${FIELD}: ${VALUE}\n---\n`, undefined],
    ['front matter that is never closed', `---\nteam: a\n${FIELD}:\n  - ${VALUE}\n`, undefined],
    ['nothing beside it', `---\n${FIELD}: ${VALUE}\n---\n`, VALUE],
  ];

  test('stands in no file, is found by no search, and is shown to readers', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'notes'));
    for (const [n, [, lines]] of LINES.entries())
      writeFileSync(
        join(cwd, 'notes', `${n}.md`),
        `---\nteam: librarians\n${lines}\nplace: Utrecht\n---\n\n# Ann\n\nAnn works in the archive.\n`,
      );
    const engine = await openMarked(cwd, { sources: [{ name: 'notes', type: 'files', root: 'notes' }] });
    await engine.index();
    const texts = OPENINGS.map(([, opening]) => `${opening}\nAnn works in the archive.\n`);
    await engine.push(texts.map((text, n) => ({ id: `p${n}`, text, mediaType: 'text/markdown' })));
    const found = await engine.search({ text: 'librarians Utrecht', options: { mode: 'lexical' } });
    expect(found.results[0]?.content).toContain('librarians');
    const { documents } = await engine.list();
    const wanted = new Map([
      ...LINES.map(([, , value], n) => [`${n}.md`, value] as const),
      ...OPENINGS.map(([, , value], n) => [`p${n}`, value] as const),
    ]);
    expect(new Map(documents.map(({ externalId, metadata }) => [externalId, metadata[FIELD]]))).toEqual(
      wanted,
    );
    for (const { id } of documents) {
      const { text = '' } = (await engine.get(id)) ?? {};
      expect(text).toContain('archive');
      expect(text).not.toContain(VALUE);
    }
    for (const mode of ['lexical', 'hybrid'] as const) {
      const { results } = await engine.search({ text: VALUE, options: { mode, minScore: 0 } });
      expect(JSON.stringify(results.map(({ content }) => content))).not.toContain(VALUE);
      if (mode === 'lexical') expect(results).toEqual([]);
    }
    expect((await engine.verify()).drift).toEqual([]);
    await engine.close();
    expect(bytesIn(cwd)).toContain('archive');
    await expectNowhere(cwd, VALUE);
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

const { value: VALUES } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(
      VALUE,
      `${VALUE} and more`,
      `é ${VALUE}`,
      `a: ${VALUE} # b`,
      `[${VALUE}`,
      `${VALUE} --- "`,
    ),
    fc.array(tie('value'), { minLength: 1, maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b c', '#d'), tie('value'), { minKeys: 1, maxKeys: 3 }),
  ),
}));

/** How texts state a field beside well-formed YAML: format, and what stands above the text. */
const STATEMENTS: readonly (readonly [string, (given: unknown) => string])[] = [
  ['md', (given) => `{"a": [{"b": "}"}], "${FIELD}": ${JSON.stringify(given)}, "c": 1}\n`],
  ['md', (given) => `${JSON.stringify({ a: 1, [FIELD]: given }, null, 2)}\n`],
  ['md', (given) => `---\n{"a": 1, "${FIELD}": ${JSON.stringify(given)}}\n---\n`],
  ['md', (given) => `---\nteam: [\n${FIELD}: a\n\n${wordsOf(given)}\n\n${wordsOf(given)}\n---\n`],
  ['md', (given) => `---\n\n${FIELD}: a: b\n\n${wordsOf(given)}\n\n${wordsOf(given)}\n---\n`],
  ['txt', (given) => `+++\n${FIELD} = ${JSON.stringify(given)}\n+++\n`],
  ['adoc', (given) => `---\n${FIELD}: ${JSON.stringify(given)}\n---\n`],
  ['rst', (given) => `:team: red\n:${FIELD}: ${wordsOf(given)}\n  ${wordsOf(given)}\n\nTitle\n=====\n`],
  [
    'rst',
    (given) => `Title\n=====\n\n:${FIELD}:\n  - ${wordsOf(given)}\n\n    ${wordsOf(given)}\n\n:team: red\n`,
  ],
  ['rst', (given) => `---\n${FIELD}: ${JSON.stringify(given)}\nteam: red\n---\n`],
  ['html', (given) => `---\nteam: red\n${FIELD}: ${JSON.stringify(given)}\n---\n`],
  ['html', (given) => `<p>+++<br>${FIELD} = ${JSON.stringify(given)}<br>+++</p>`],
];

const wordsOf = (given: unknown): string =>
  JSON.stringify(given)
    .replace(/[^\p{L}: ]/gu, ' ')
    .trim();

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
      fc.asyncProperty(VALUES, fc.constantFrom(...ways), async (given, way) => {
        const { front, metadata } = way(given) as { front?: string; metadata?: Record<string, never> };
        const id = `d${count++}`;
        const text = `${front === undefined ? '' : `---\n${front}\n---\n`}Ann works in the archive.`;
        const { stats } = await engine.push([
          { id, text, mediaType: 'text/markdown', ...(metadata === undefined ? {} : { metadata }) },
        ]);
        expect(stats.errors).toEqual([]);
        expect((await engine.get(id))?.metadata[FIELD]).toEqual(given);
      }),
      { numRuns: 25 },
    );
    const { results } = await engine.search({ text: VALUE, options: { mode: 'lexical' } });
    expect(results).toEqual([]);
    await engine.close();
    await expectNowhere(cwd, VALUE);
  });

  test.each(['as', 'after'])(
    'stands in no file, whatever it holds and however a text states it, %s it is marked',
    async (when) => {
      const given = fc.record({
        value: VALUES,
        statement: fc.constantFrom(...STATEMENTS),
        isNamed: fc.boolean(),
      });
      const documents = fc.sample(given, 40).map(({ value, statement, isNamed }, n) => {
        const [extension, state] = statement;
        const mediaType = Object.keys(EXTENSIONS).find((type) => EXTENSIONS[type] === extension) ?? '';
        const id = isNamed ? `d${n}.${extension}` : `d${n}`;
        return { id, text: withText(mediaType, state(value)), mediaType };
      });
      const cwd = temporaryFolder();
      if (when === 'after') {
        const before = await createEngine({ config: { provider: 'libsql' }, cwd });
        await before.push(documents);
        await before.close();
      }
      const engine = await openMarked(cwd);
      if (when === 'as') expect((await engine.push(documents)).stats.errors).toEqual([]);
      else expect((await engine.rotateEncryption()).documents).toBe(documents.length);
      expect((await engine.verify()).drift).toEqual([]);
      for (const { id, text } of documents) {
        const read = await engine.get(id);
        expect([text, read?.text]).toEqual([text, expect.stringContaining('Ann works in the archive.')]);
        expect([text, JSON.stringify([read?.text, read?.title])]).toEqual([
          text,
          expect.not.stringContaining(VALUE),
        ]);
      }
      expect((await engine.search({ text: VALUE, options: { mode: 'lexical' } })).results).toEqual([]);
      await engine.close();
      await expectNowhere(cwd, VALUE);
    },
  );
});

/** Pushes one text and says everything that is kept or told of it. */
async function pushed(text: string, mediaType: string, fields = [FIELD], metadata = {}) {
  const cwd = temporaryFolder();
  const engine = await openMarked(cwd, {}, fields);
  const { stats, ...told } = await engine.push([{ id: 'ann', text, mediaType, metadata }]);
  expect(stats.errors).toEqual([]);
  const read = await engine.get('ann');
  const found = await engine.search({ text: 'archive', options: { mode: 'lexical' } });
  // Readers of a document are shown its fields.
  const results = found.results.map(({ content, metadata: { knowledgeRest: _, ...rest } }) => [
    content,
    Object.entries(rest).filter(([name]) => !name.startsWith(FIELD)),
  ]);
  const { drift } = await engine.verify();
  await engine.close();
  return {
    told: JSON.stringify([stats, told, read?.text, results, drift]),
    text: read?.text,
    read,
    cwd,
    drift,
  };
}

describe('a text that is no statement', () => {
  const KEPT: readonly (readonly [string, string])[] = [
    ['a.lua', '--- Computes the pay for an owner.\n---\n--- @param owner: who\narchive()\n'],
    ['a.md', '---\n\nNote: the owner of the house: he pays\n\n# The archive\n\nMore of it.\n\n---\n'],
    ['b.md', '---\nThe owner said: yes: he keeps an archive.\n\n---\n'],
    ['c.md', '---\n\n## An owner\n\nAn id: the archive: of it.\n\n---\n'],
    ['d.md', '---\n\nA: b: \\usepackage{archive}\n\n---\n'],
    ['e.md', '---\ntitle: "a # owner: archive"\n---\n'],
    ['f.md', '[owner]: https://a.example/archive\n'],
    ['a.json', '["owner", {"a": ["owner", "archive"]}]'],
    ['a.csv', 'a,b\narchive,the owner\nx,y\n'],
    ['g.md', '| name | type |\n| - | - |\n| a | owner |\n| archive | text |\n'],
    ['h.md', '- owner\n- a\n\nThe owner, archive. Owner of a. An owner-he: of.\n'],
  ];
  /** Above it, and of these letters at its place. */
  const CUT: readonly (readonly [string, string, string])[] = [
    ['a.py', 'archive()\nowner = read(it)\nif a: archive()\n', 'owner = read(it)'],
    ['i.md', '---\n\nIt says: a: b.\n\nowner: Ann\n\n# The archive\n\n---\n', 'owner: Ann'],
    ['a.sql', '--- Of the owner\n-- owner: who\nCREATE TABLE archive (owner TEXT);\n---\n', 'owner: who'],
    ['a.txt', '--- Table of the owner...\nowner: who\n\nThe archive.\n---\n', 'owner: who'],
    ['j.md', '---\n\nIt says: a: archive.\n\n- owner: Ann\n\n---\n', 'owner: Ann'],
    ['k.md', '{% include owner = "archive" %}\n\nMore.\n', 'owner = "archive"'],
  ];

  test('keeps every word, and what stands beside a statement', async () => {
    const engine = await openMarked(temporaryFolder(), {}, ['owner', 'id']);
    const all = [...KEPT.map(([id, text]) => [id, text, ''] as const), ...CUT];
    await engine.push(all.map(([id, text]) => ({ id, fileName: id, text })));
    const read = await Promise.all(all.map(async ([id]) => [id, (await engine.get(id))?.text]));
    expect(read).toEqual(all.map(([id, text, cut]) => [id, text.replace(cut, ' '.repeat(cut.length))]));
    expect((await engine.verify()).drift).toEqual([]);
  });
});

const F = FIELD;
const V = VALUE;
/** Sentences are filled in from them: what was indexed before the field was marked is read again, and no text says what came from where. */
const DEFINITIONS: readonly (readonly [string, string, string])[] = [
  ['an attribute of AsciiDoc', 'text/asciidoc', `= Band\n:${F}: \\\n${V}\n\nIt is {${F}}.\n\n`],
  ['an attribute in capitals', 'text/asciidoc', `:${F.toUpperCase()}: ${V}\n\nIt is {${F}}.\n\n`],
  [
    'a substitution of reStructuredText',
    'text/x-rst',
    `It is |${F}|.\n\n.. |${F}| replace:: of\n   ${V}\n\n`,
  ],
  ['an indented substitution', 'text/x-rst', `It is |${F}|.\n\n   .. |${F}| replace:: ${V}\n\n`],
  [
    'a substitution inside a directive',
    'text/x-rst',
    `It is |${F}|.\n\n.. only:: html\n\n   .. |${F}| replace:: ${V}\n      ${V}\n\n`,
  ],
  ['a substitution behind a tab', 'text/x-rst', `It is |${F}|.\n\n\t.. |${F}| replace:: ${V}\n\n`],
  ['an attribute that a plus goes on', 'text/asciidoc', `= Band\n:${F}: of +\n${V}\n\nIt is {${F}}.\n\n`],
  [
    'an attribute that another one fills in',
    'text/asciidoc',
    `:pay: ${V}\n:p: {pay}\n:${F}: {P}\n\n{pay}\n\n`,
  ],
  ['an indented attribute', 'text/asciidoc', `= Band\n ${`:${F}: ${V}`}\n\n\t:${F}: ${V}\n\n`],
  ['an attribute whose value stands below', 'text/asciidoc', `= Band\n:${F}:\n${V}\n  ${V}\n:a: b\n\n`],
  ['an attribute behind a paragraph', 'text/asciidoc', `A text.\n\n:${F}:\n  ${V}\n\n`],
  ['a part of it as an attribute', 'text/asciidoc', `:${F}.base: ${V}\n\n`],
  [
    'a substitution that another one fills in',
    'text/x-rst',
    `.. |pay| replace:: ${V}\n.. |${F}| replace:: |Pay|\n\nIt is |pay|.\n\n`,
  ],
  ['fields behind a paragraph', 'text/x-rst', `A text.\n\n:team: red\n:${F}: ${V}\n  ${V}\n\n  ${V}\n\n`],
  ['a field behind a section', 'text/x-rst', `A\n=\n\nText.\n\nB\n=\n\n:${F}:\n  - ${V}\n\n`],
  ['an indented field', 'text/x-rst', `A text.\r\n\r\n  :**${F}**: ${V}\r\n    ${V}\r\n\r\n`],
  ['a field in other letters behind a paragraph', 'text/x-rst', `A text.\n\n:Salary_Band: ${V}\n\n`],
  ['a field in an item', 'text/x-rst', `A text.\n\n- :${F}: ${V}\n\n* a\n\n  :${F}: ${V}\n\n`],
  ['a part of it behind a paragraph', 'text/x-rst', `A text.\n\n:${F}.base pay: ${V}\n\n`],
  ['an attribute with blanks behind', 'text/asciidoc', `= Band\n:${F}: of \\ \r\n${V} + \r\n${V}\n\n`],
];

/** Each in front of a text about an archive. */
const ODD_FORMS: readonly (readonly [string, string, string])[] = [
  ['a comment that reads as a heading', 'text/markdown', `\n---\ntitle: foo\n# ${F}: ${V}\n---\n`],
  ['a heading inside TOML', 'text/markdown', `+++\n${F} = """\n# ${V}\n"""\n+++\n`],
  ['an underlined heading', 'text/markdown', `---\nfoo: 1\n${F}: ${V}\n===\n`],
  ['an underlined heading in TOML', 'text/markdown', `+++\n${F} = "${V}"\n===\n+++\n`],
  ['an overlined title of reStructuredText', 'text/x-rst', `---\n${F}: ${V}\n---\n`],
  ['a field list of reStructuredText', 'text/x-rst', `---\n:${F}: ${V}\n---\n`],
  ['AsciiDoc', 'text/asciidoc', `---\n${F}: ${V}\n---\n`],
  ['what could not become fields', 'text/markdown', `---\nknowledgeRest:\n  ${F}: ${V}\n---\n`],
  ['plain text', 'text/plain', `---\n${F}: ${V}\n---\n`],
  ['lines of HTML', 'text/html', `<p>---<br>${F}: ${V}<br>---</p><p>The end</p>`],
  ['rules of HTML', 'text/html', `<hr><p>${F}: ${V}</p><hr><p>The end</p>`],
  ['a heading of HTML', 'text/html', `<p>+++</p><h1>${F} = "${V}"</h1><p>+++</p>`],
  ['an alias that names nothing', 'text/markdown', `---\n${F}: *${V}\n---\n`],
  ['a comment behind the opening', 'text/markdown', `--- # ${F}: ${V}\ntitle: x\n---\n`],
  ['a tag that cannot be read', 'text/markdown', `---\n${F}: !<${V}\n---\n`],
  ['JSON on one line', 'text/markdown', `{"title":"x","${F}":"${V}"}\n`],
  ['JSON that closes on its last line', 'text/markdown', `{\n  "title": "x",\n  "${F}": "${V}"}\n`],
  ['JSON that closes indented', 'text/markdown', `{\n  "${F}": "${V}"\n  }\n`],
  ['JSON with a brace in a text', 'text/markdown', `{"title":"}","${F}":"${V}"}\n`],
  ['JSON that cannot be read', 'text/markdown', `{"title":"x",,"${F}":"${V}"}\n`],
  ['JSON that is never closed', 'text/markdown', `{"title":"x",\n"${F}":"${V}"\n`],
  ['JSON between semicolons', 'text/markdown', `;;;\n{"${F}":"${V}"}\n;;;\n`],
  ['JSON in a fence', 'text/markdown', `---json\n{"${F}":"${V}"}\n---\n`],
  ['TOML that is never closed', 'text/markdown', `+++\ntitle = "a"\n\n${F} = "${V}"\n`],
  ['an escaped name of TOML', 'text/markdown', `+++\n"salary\\u005fband" = "${V}"\n+++\n`],
  ['a comment of TOML', 'text/markdown', `+++\n# ${F} = "${V}"\n+++\n`],
  ['a dotted name of TOML', 'text/markdown', `+++\n${F}.of = "${V}"\n+++\n`],
  ['a comment behind the mark of a text', 'text/markdown', `---\na: | # ${F}: ${V}\n  b\n---\n`],
  ['a comment below a text', 'text/markdown', `---\na: |\n  b\n# ${F}: ${V}\nc: 1\n---\n`],
  ['a comment behind a value', 'text/markdown', `---\ntitle: a # ${F}: ${V}\n---\n`],
  ['a merged mapping', 'text/markdown', `---\nx: &x\n  ${F}: ${V}\n<<: *x\n---\n`],
  ['an alias of it', 'text/markdown', `---\n${F}: &x ${V}\nother: *x\n---\n`],
  ['an alias that it is', 'text/markdown', `---\nother: &x ${V}\n${F}: *x\n---\n`],
  ['an alias in it', 'text/markdown', `---\nother: [{a: &x ${V}}]\nteam: *x\n${F}: [*x]\n---\n`],
  ['an alias of a merged mapping', 'text/markdown', `---\nx: &x {${F}: ${V}}\ny: *x\n<<: *x\n---\n`],
  ['a complex key of a mapping inside', 'text/markdown', `---\nhr:\n  ? ${F}\n  : ${V}\n---\n`],
  ['a key that is a list', 'text/markdown', `---\nteam: red\n? [${F}, b]\n: ${V}\n---\n`],
  ['a key that is a mapping', 'text/markdown', `---\n? {${F}: ${V}}\n: a\n---\n`],
  ['a key of several lines', 'text/markdown', `---\n? |\n  ${F}\n: ${V}\nteam: red\n---\n`],
  ['a list of mappings', 'text/markdown', `---\n- ${F}: ${V}\n  team: red\n- team: blue\n---\n`],
  ['a list of mappings in a field', 'text/markdown', `---\np:\n- a: 1\n  ${F}: ${V}\nb: 2\n---\n`],
  ['a list of mappings in braces', 'text/markdown', `---\np: [{a: 1, "${F}": ${V}}]\nb: 2\n---\n`],
  ['a list of lists', 'text/markdown', `---\n- - ${F}: ${V}\n- a\n---\n`],
  ['a complex key in a list', 'text/markdown', `---\n- ? ${F} # a\n  : ${V}\n---\n`],
  ['an ordered mapping', 'text/markdown', `---\n!!omap\n- ${F}: ${V}\n- a: 1\n---\n`],
  ['a list that an alias repeats', 'text/markdown', `---\n- a: &x ${V}\n- ${F}: *x\n---\n`],
  ['a mapping inside that an alias is of', 'text/markdown', `---\na: &x ${V}\nhr: {${F}: *x}\n---\n`],
  ['a list that cannot be read', 'text/markdown', `---\n- ${F}: ${V}\n- [\n---\n`],
  ['a complex key that cannot be read', 'text/markdown', `---\n- ? ${F}\n  : ${V}\n- [\n---\n`],
  ['a list that is never closed', 'text/markdown', `---\nteam: red\np:\n- ${F}: ${V}\n`],
  ['an item that is commented out', 'text/markdown', `---\na: 1\n# - ${F}: ${V}\n---\n`],
  ['front matter below a comment', 'text/markdown', `<!-- x -->\n---\n${F}: ${V}\n---\n`],
  ['front matter below comments', 'text/markdown', `\n<!-- x\n\ny --> <!-- -->\n\n---\n${F}: ${V}\n---\n`],
  ['TOML below a comment', 'text/markdown', `<!-- x -->\n+++\n${F} = "${V}"\n+++\n`],
  ['JSON below a comment of a page', 'text/plain', `<!-- x -->\n{"a": 1, "${F}": "${V}"}\n`],
  ['JSON with a comment', 'text/markdown', `{ // c\n '${F}': '${V}' }\n`],
  ['JSON with comments behind values', 'text/markdown', `{\n"a":1, // c }\n\n"${F}":"${V}"}\n`],
  ['JSON below a comment', 'text/plain', `/* c */ {"a": 1, /* d */ "${F}": "${V}"}\n`],
  ['YAML that nests too deep', 'text/markdown', `---\n${F}: ${V}\na: ${'['.repeat(3000)}\n---\n`],
  ['a merged copy of it', 'text/markdown', `---\nx: &x {b: &y ${V}}\n${F}: *y\n<<: *x\n---\n`],
  ['a copy beside it that is merged', 'text/markdown', `---\nx: &x {${F}: &y ${V}, b: [*y]}\n<<: *x\n---\n`],
  ['a copy in metadata of a push', 'text/markdown', `---\n${F}: &y ${V}\nknowledgeMetadata: {b: *y}\n---\n`],
  [
    'a copy beside it in metadata of a push',
    'text/markdown',
    `---\nknowledgeMetadata: {${F}: &y ${V}, b: *y}\n---\n`,
  ],
  ['metadata of a push', 'text/markdown', `---\nknowledgeMetadata:\n  ${F}: ${V}\n---\n`],
  ['metadata of a push as text', 'text/markdown', `---\nknowledgeMetadata: '{"${F}":"${V}"'\n---\n`],
  ['an open fence with a blank line', 'text/markdown', `---\ntitle: a\n\n${F}: ${V}\n`],
  ['an open fence that begins blank', 'text/markdown', `---\n\n${F}: ${V}\n`],
  ['a lone carriage return', 'text/markdown', `---\r${F}: ${V}\r---\r`],
  [
    'paragraphs that are not indented',
    'text/markdown',
    `---\n${F}: one\n\ntwo ${V}\n\nthree ${V}\nteam: red\n---\n`,
  ],
  ['paragraphs like names', 'text/markdown', `---\n${F}: one\n\nNote: two ${V}\n\n- three: ${V}\n---\n`],
  ['a paragraph below a list', 'text/markdown', `---\n${F}:\n- one\n\ntwo ${V}\n---\n`],
  ['paragraphs with a heading', 'text/markdown', `---\nteam: [\n${F}: one\n\n# ${V}\n\ntwo ${V}\n---\n`],
  ['a text whose lines fell out', 'text/markdown', `---\n${F}: |\none ${V}\n\n\ntwo ${V}\n...\n`],
  ['a quoted text that goes on', 'text/markdown', `---\n${F}: "one\n\n${V} "two"\n\n${V}"\n---\n`],
  ['paragraphs below a blank line', 'text/markdown', `---\n\n${F}: one: a\n\ntwo ${V}\n\nthree: ${V}\n---\n`],
  ['paragraphs of another language', 'text/markdown', `---toml\n${F} = one\n\ntwo ${V}\n---\n`],
  [
    'bibliographic fields of reStructuredText',
    'text/x-rst',
    `:Author: Ann\n:${F}: ${V}\n  more ${V}\n:team: red\n\nTitle\n=====\n`,
  ],
  [
    'fields below a title of reStructuredText',
    'text/x-rst',
    `Title\n=====\n\n.. a comment\n\n:team: red\n:${F}:\n\n  - ${V}\n\n  and ${V}\n`,
  ],
  [
    'fields with Windows lines',
    'text/x-rst',
    `:team: red\r\n:${F}: ${V}\r\n  ${V}\r\n\r\nTitle\r\n=====\r\n`,
  ],
  ['a marked up field of reStructuredText', 'text/x-rst', `:team: red\n:*${F}*: ${V}\n`],
  ['a title that is a field', 'text/x-rst', `${F}: ${V}\n${'='.repeat(40)}\n`],
  ['TOML as a title of reStructuredText', 'text/x-rst', `+++\n${F} = "${V}"\n+++\n`],
  [
    'front matter above fields',
    'text/x-rst',
    `---\nteam: red\nplace: Utrecht\n${F}: ${V}\n---\n\n:${F}: ${V}\n`,
  ],
  ['a part of it as a name', 'text/markdown', `---\nteam: red\n${F}.base: ${V}\n${F}.bonus: ${V}\n---\n`],
  ['a part of it in quotes', 'text/markdown', `---\nteam: red\n"${F}.base pay": [${V}]\n---\n`],
  ['a part of it in JSON', 'text/markdown', `{"team": "red", "${F}.base": "${V}"}\n`],
  [
    'many parts of it',
    'text/markdown',
    `---\n${Array.from({ length: 200 }, (_, i) => `"${F}.p${i}": ${V}`).join('\n')}\n---\n`,
  ],
  ['a field in other letters', 'text/x-rst', `:Team: red\n:Salary_Band: ${V}\n  ${V}\n`],
  ['a field in capitals', 'text/x-rst', `Title\n=====\n\n:${F.toUpperCase()}: ${V}\n`],
  ['a part of it in reStructuredText', 'text/x-rst', `:team: red\n:${F}.base: ${V}\n`],
  ['code below a field', 'text/x-rst', `:team: red\n:${F}:\n\n  .. code:: sh\n\n     ${V}\n\n  more ${V}\n`],
  ['a literal block below a field', 'text/x-rst', `:${F}: ::\n\n    ${V}\n`],
  ['a name as a literal', 'text/x-rst', `:team: red\n:\`\`${F}\`\`: ${V}\n  ${V}\n`],
  ['a name as a reference', 'text/x-rst', `:\`${F}\`_: ${V}\n`],
  ['a name with an escape', 'text/x-rst', `:sal\\ary_band: ${V}\n`],
  ['a name as a substitution', 'text/x-rst', `:|${F}|: ${V}\n`],
  ['fields as they are written', 'text/plain', `:team: red\n:${F}: ${V}\n  ${V}\n`],
  ['a title above fields as they are written', 'text/plain', `Pay\n===\n\n:${F}: ${V}\n`],
  ['a title between rules and a comment', 'text/plain', `===\nPay\n===\n\n.. a comment\n\n:${F}:\n  ${V}\n`],
  [
    'a paragraph of HTML',
    'text/html',
    `---\nteam: red\n${F}: <p>${V}</p>\nplace: Utrecht\n---\n<h1>A page</h1>`,
  ],
  ['a list of HTML', 'text/html', `---\n${F}: |\n  <ul><li>${V}</li></ul>\nteam: red\n---\n`],
  ['a heading in TOML of HTML', 'text/html', `+++\n${F} = "<h2>${V}</h2>"\n+++\n`],
  ['front matter of a site in HTML', 'text/html', `---\nteam: red\n${F}: ${V}\n---\n<h1>A page</h1>`],
  ['front matter with blank lines in HTML', 'text/html', `---\nteam: red\n\n"${F}": [${V}, b]\n---\n`],
  ['a flow mapping in HTML', 'text/html', `---\n{team: red, ${F}: ${V}}\n---\n`],
  ['TOML in HTML', 'text/html', `+++\n[${F}]\nof = "${V}"\n+++\n`],
  [
    'facts of the head of a page',
    'text/html',
    `<html><head><meta name="${F}" content="${V}"><meta content='${V}' property=${F}></head><body>`,
  ],
];

/** Files in which all is fields, by their extension, each below a comment about an archive. */
const SETTINGS: readonly (readonly [string, string, string])[] = [
  ['a key', 'yaml', `${F}: ${V}\nteam: red\n`],
  ['a key inside', 'yml', `hr:\n  "${F}":\n  - ${V}\n  team: red\n`],
  ['items of a list', 'yaml', `- ${F}: ${V}\n  team: red\n- [{${F}: ${V}}]\n`],
  ['later documents', 'yaml', `a: 1\n---\n${F}: ${V}\n...\n--- {${F}: ${V}, team: red}\n`],
  ['a document that cannot be read', 'yaml', `team: red\n---\nx: [\n- ${F}: ${V}\n`],
  ['aliases', 'yaml', `x: &x {${F}: ${V}}\ny: *x\nteam: red\n`],
  ['a comment of YAML', 'yaml', `team: red\n# ${F}: ${V}\n`],
  ['an escaped key', 'YML', `hr: |\r\n  text\r\n"salary\\u005fband": ${V}\r\n`],
  ['a part of it', 'yaml', `hr:\n  ${F}.base: ${V}\n  team: red\n`],
  ['a value', 'toml', `${F} = "${V}"\nteam = "red"\n`],
  ['a value of a table', 'toml', `[hr]\nteam = "red"\n${F} = [\n  "${V}", # "\n  "${V}",\n]\n`],
  ['a table', 'toml', `team = "red"\n[${F}]\nof = "${V}"\n[[${F}.list]]\nof = "${V}"\n`],
  ['an inline table', 'toml', `hr = {team = "red", "${F}" = "${V}"}\n`],
  ['a text of several lines', 'toml', `${F} = """\n[x]\n\n${V}\n"""\nteam = "red"\n`],
  ['dotted names', 'toml', `hr.${F} = "${V}"\n${F}.base = "${V}"\nhr."${F}".x = '${V}'\n`],
  ['a list that is never closed', 'toml', `team = "red"\nx = [\n${F} = "${V}"\n`],
  ['a value of a section', 'ini', `[hr]\n${F}=${V}\nteam=red\n`],
  ['a section', 'ini', `team=red\n[${F}]\nof=${V}\n; of=${V}\n`],
  ['a named section', 'ini', `[hr "${F}"]\n\tof = ${V}\n`],
  ['another case', 'ini', `[hr]\n${F.toUpperCase()} : a\n  ${V}\n\n  ${V}\nteam=red\n`],
  ['a comment of INI', 'cfg', `; ${F}=${V}\nteam=red\n`],
  ['items by number', 'ini', `${F}[] = ${V}\n${F}[1] = ${V}\n`],
  ['a blank between', 'properties', `team red\n${F} ${V}\nhr.${F}\t${V}\n`],
  ['lines that go on', 'properties', `hr.${F}: a \\\n${V}\nteam=red\n`],
  ['an escaped property', 'properties', `salary\\u005fband=${V}\nsalary\\\n  _band=${V}\n`],
  ['a variable', 'env', `export ${F}=${V}\nTEAM=red\n`],
];

const EXTENSIONS: Readonly<Record<string, string>> = {
  'text/markdown': 'md',
  'text/plain': 'txt',
  'text/x-rst': 'rst',
  'text/asciidoc': 'adoc',
  'text/html': 'html',
};

/** Each of them with the text behind it. */
const withText = (mediaType: string, opening: string): string =>
  opening +
  (mediaType === 'text/html' ? '<p>Ann works in the archive.</p>' : '\nAnn works in the archive.\n');

describe('a marked field in an odd form', () => {
  /** One of each form, once by a name that says its format and once by one that says nothing; `secrets` are what they state. */
  function documentsOf(forms: typeof ODD_FORMS) {
    const documents = forms.flatMap(([name, mediaType, opening], n) => {
      const text = withText(mediaType, opening.replaceAll(V, secretOf(n)));
      return [`${n} ${name}`, `${n} ${name}.${EXTENSIONS[mediaType]}`].map((id) => ({ id, text, mediaType }));
    });
    return { documents, secrets: forms.map(([name], n) => ({ name, secret: secretOf(n) })) };
  }
  /** The same of files of settings, once by the name that an id has and once by the name of a file that is handed in. */
  function settingsOf(forms: typeof SETTINGS) {
    const named = forms.map(([name, extension, text], n) => ({
      id: `${n} ${name}`,
      fileName: `${n} ${name}.${extension}`,
      text: `# Ann works in the archive.\n${text.replaceAll(V, secretOf(n))}`,
    }));
    const documents = named.flatMap((document) => [
      document,
      { id: document.fileName, text: document.text, mediaType: 'text/plain' },
    ]);
    return { documents, secrets: forms.map(([name], n) => ({ name, secret: secretOf(n) })) };
  }
  /** Of letters alone, one word. */
  const secretOf = (n: number): string =>
    `${V}${String(n).replace(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit)))}q`;

  async function expectAllHidden(
    engine: Engine,
    cwd: string,
    {
      documents,
      secrets,
    }: Pick<ReturnType<typeof documentsOf>, 'secrets'> & {
      readonly documents: readonly { readonly id: string }[];
    },
  ) {
    expect((await engine.verify()).drift).toEqual([]);
    const read = await Promise.all(documents.map(({ id }) => engine.get(id)));
    const without = read.filter((document) => !document?.text.includes('Ann works in the archive.'));
    expect(without).toEqual([]);
    const text = secrets.map(({ secret }) => secret).join(' ');
    expect((await engine.search({ text, options: { mode: 'lexical', minScore: 0 } })).results).toEqual([]);
    await engine.close();
    const told = JSON.stringify(read.map((document) => [document?.text, document?.title]));
    const readable = (said: string) =>
      secrets.filter(({ secret }) => said.includes(secret)).map(({ name }) => name);
    expect(readable(told)).toEqual([]);
    expect(readable(bytesIn(cwd))).toEqual([]);
    await expectNowhere(cwd, V);
  }

  test('is nowhere', async () => {
    const cwd = temporaryFolder();
    const engine = await openMarked(cwd);
    const forms = documentsOf([...ODD_FORMS, ...DEFINITIONS]);
    const pushedForms = await engine.push(forms.documents);
    expect(pushedForms.stats.errors).toEqual([]);
    expect(JSON.stringify(pushedForms)).not.toContain(V);
    await expectAllHidden(engine, cwd, forms);
  });

  test('is nowhere after a rotation', async () => {
    const cwd = temporaryFolder();
    const before = await createEngine({ config: { provider: 'libsql' }, cwd });
    const forms = documentsOf(ODD_FORMS);
    await before.push(forms.documents);
    await before.close();
    const engine = await openMarked(cwd);
    expect((await engine.verify()).drift).not.toEqual([]);
    await engine.rotateEncryption();
    await expectAllHidden(engine, cwd, forms);
  });

  test.each(['as', 'after'])('is nowhere in files of settings, %s it is marked', async (when) => {
    const cwd = temporaryFolder();
    const forms = settingsOf(SETTINGS);
    const before = await createEngine({ config: { provider: 'libsql' }, cwd });
    if (when === 'after') await before.push(forms.documents);
    await before.close();
    const engine = await openMarked(cwd);
    if (when === 'as') expect((await engine.push(forms.documents)).stats.errors).toEqual([]);
    else {
      const named = (await engine.verify()).drift.map(({ detail }) => detail);
      const count = forms.documents.length;
      expect(named).toContainEqual(expect.stringMatching(`of ${count} documents .* texts of the ledger`));
      await engine.rotateEncryption();
    }
    expect((await engine.get('0 a key.yaml'))?.text).toContain('team: red');
    await expectAllHidden(engine, cwd, forms);
  });

  test('is nowhere where a source of files reads settings', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'n'));
    for (const [n, [, extension, text]] of SETTINGS.entries())
      writeFileSync(join(cwd, 'n', `${n}.${extension}`), `# Ann works in the archive.\n${text}`);
    const sources = [{ name: 'n', type: 'files' as const, root: 'n', paths: ['*'] }];
    const engine = await openMarked(cwd, { sources });
    const { stats } = await engine.index();
    expect(stats.errors).toEqual([]);
    expect((await engine.list()).documents).toHaveLength(SETTINGS.length);
    await engine.close();
    await expectNowhere(cwd, V);
  });

  test.each([
    ['on one line', `{"owner":"${V}","of":"archive"}`],
    ['on several', `{\n  "owner": "${V}",\n  "of": "archive"\n}\n`],
  ])('is nowhere where a file of JSON states it %s', async (_, text) => {
    const { told, cwd } = await pushed(text, 'application/json', ['owner']);
    expect(told).toContain('archive');
    expect(told).not.toContain(V);
    await expectNowhere(cwd, V);
  });

  test.each([
    ['broken JSON', `{"${F}":"${V}"`],
    ['a list as text', `[{"${F}":"${V}"}]`],
    ['a space that JSON does not know', `\u00A0{"${F}":"${V}"}`],
    ['a list', [{ [F]: V }]],
    ['under a name of the engine', { title: { [F]: V } }],
  ])('is in no file where metadata are pushed as %s', async (_, blob) => {
    const { cwd, drift } = await pushed('The archive.', 'text/plain', [F], { knowledgeMetadata: blob });
    expect(drift).toEqual([]);
    await expectNowhere(cwd, V);
  });

  test('is in no file where metadata are pushed under a name that is a part of it', async () => {
    const { cwd, drift, read } = await pushed('The archive.', 'text/plain', [F], { [`${F}.base`]: V });
    expect([drift, read?.metadata[`${F}.base`]]).toEqual([[], V]);
    await expectNowhere(cwd, V);
  });

  test.each([
    ['beside it', `team: red\n${F}: ${V}\nplace: Utrecht`],
    ['that is merged with it', `x: &x {${F}: ${V}, team: red}\n<<: *x\nplace: Utrecht`],
    ['with aliases of its own', `a: &a red\nteam: *a\n${F}: ${V}\nplace: Utrecht`],
  ])('leaves the rest of the front matter as metadata: %s', async (_, yaml) => {
    const { read } = await pushed(`---\n${yaml}\n---\n# The archive\n`, 'text/markdown');
    expect(read?.metadata).toMatchObject({ team: 'red', place: 'Utrecht', [F]: V });
  });

  test('is in no title or address of a backlog item', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'n'));
    const item = { id: 'P-1', title: V, url: `https://a.example/${V}`, description: 'The archive.' };
    writeFileSync(join(cwd, 'n', 'a.json'), JSON.stringify({ ...item, acceptance_criteria: [] }));
    const extractors = [
      { field: 'title', to: 'codename' },
      { field: 'url', to: 'addr' },
    ];
    const sources = [{ name: 's', type: 'pbi_json' as const, paths: ['n'], metadata: { extractors } }];
    const engine = await openMarked(cwd, { sources }, ['codename', 'addr']);
    expect((await engine.index()).stats.errors).toEqual([]);
    const [document] = (await engine.list()).documents;
    expect(document?.metadata).toMatchObject({ codename: V, addr: item.url });
    await engine.close();
    expect(bytesIn(cwd)).toContain('archive');
    await expectNowhere(cwd, V);
  });
});

/** Each holds the word archive in its first record. */
const RECORDS: readonly (readonly [string, string, string])[] = [
  ['a list', 'json', `[{"${F}":"${V}","of":"archive"}]`],
  ['a list of several', 'json', `[{"of":"archive"},\n {"of":"b","${F}":["${V}"]}, {"${F}":{"a":"${V}"}}]\n`],
  ['a list of other values too', 'json', `[1, "a", {"${F}":"${V}","of":"archive"}, null]`],
  ['a list of lists', 'json', `[[{"${F}":"${V}"}],[{"of":"archive","${F}":"${V}"}]]`],
  [
    'a long list',
    'json',
    JSON.stringify([...Array(500).fill({ of: 'the archive', a: { b: 1 } }), { [F]: V }], null, 2),
  ],
  ['a list with escapes', 'json', `[{"of":"archive","salary\\u005fband":"${V}","a":1}]`],
  ['a part of it', 'json', `[{"of":"archive","${F}.base":"${V}"}]`],
  ['one line', 'jsonl', `{"${F}":"${V}","of":"archive"}`],
  [
    'lines',
    'jsonl',
    `{"of":"archive","${F}":"${V}"}\n{"${F}":"${V}","${F}.a":"${V}"}\n{"a":{"${F}":"deep"},"${F}":"${V}"}\n`,
  ],
  ['Windows lines', 'jsonl', `{"of":"archive"}\r\n\r\n{"${F}":"${V}"}\r\n`],
  [
    'lines beside a broken one',
    'jsonl',
    `{"of":"archive"}\n{"a":1}\nno JSON\n{"a":1,"${F}":"${V}",}\n{"${F}":"${V}"}\n`,
  ],
  ['lists as lines', 'jsonl', `["of","archive"]\n[{"${F}":"${V}"}]\n`],
  ['late lines', 'jsonl', `${'{"of":"the archive of it all"}\n'.repeat(700)}{"a":1,"${F}":"${V}"}\n`],
];

describe('a marked field that is a member of records', () => {
  const typeOf = (format: string) => (format === 'json' ? 'application/json' : 'application/jsonl');

  test.each(['as', 'after'])('is nowhere, %s it is marked', async (when) => {
    const cwd = temporaryFolder();
    const rag: RAGSettingsInput = { provider: 'libsql', history: { keep: '1y' } };
    const documents = RECORDS.flatMap(([, format, text], n) =>
      [`${n}`, `${n}.${format}`].map((id) => ({ id, text, mediaType: typeOf(format) })),
    );
    if (when === 'after') {
      const before = await createEngine({ config: rag, cwd });
      await before.push(
        documents.map((document) => ({ ...document, text: document.text.replace('archive', 'old') })),
      );
      expect((await before.push(documents)).stats.errors).toEqual([]);
      await before.close();
    }
    const engine = await openMarked(cwd, rag);
    if (when === 'as') expect(JSON.stringify(await engine.push(documents))).not.toContain(V);
    else {
      const named = (await engine.verify()).drift.map(({ detail }) => detail);
      for (const place of ['ledger', 'history'])
        expect(named).toContainEqual(
          expect.stringMatching(`${documents.length} documents .* texts of the ${place}`),
        );
      await engine.rotateEncryption();
    }
    expect((await engine.verify()).drift).toEqual([]);
    const { results } = await engine.search({ text: V, options: { mode: 'lexical' } });
    expect(results).toEqual([]);
    for (const { id } of documents) {
      const text = (await engine.get(id))?.text;
      expect([id, text]).toEqual([id, expect.stringContaining('archive')]);
      expect([id, text]).toEqual([id, expect.not.stringContaining(V)]);
    }
    await engine.close();
    await expectNowhere(cwd, V);
  });

  test('names no record any more', async () => {
    const text = JSON.stringify([
      { name: `\u0022${V}`, of: 'the archive, and what is long enough to be cut '.repeat(60) },
    ]);
    const { told, cwd } = await pushed(text, 'application/json', ['name']);
    expect(told).toContain('archive');
    await expectNowhere(cwd, V);
    const later = temporaryFolder();
    const before = await createEngine({ config: { provider: 'libsql' }, cwd: later });
    await before.push([{ id: 'ann', text, mediaType: 'application/json' }]);
    await before.close();
    const engine = await openMarked(later, {}, ['name']);
    await engine.rotateEncryption();
    expect((await engine.search({ text: V, options: { mode: 'lexical' } })).results).toEqual([]);
    await engine.close();
    await expectNowhere(later, V);
  });

  test('leaves the records valid', async () => {
    const record = (rest: object) => JSON.stringify({ ...rest });
    const members = [
      { [F]: V, of: 'archive', [`${F}.a`]: V, z: 1 },
      { of: 1, [F]: V },
      { [F]: V, [`${F}.a`]: V },
    ];
    for (const [text, mediaType] of [
      [JSON.stringify(members), 'application/json'],
      [members.map(record).join('\n'), 'application/jsonl'],
    ] as const) {
      const { text: kept = '' } = await pushed(text, mediaType);
      const left = mediaType === 'application/json' ? kept : `[${kept.split('\n').join(',')}]`;
      expect(JSON.parse(left)).toEqual([{ of: 'archive', z: 1 }, { of: 1 }, {}]);
    }
  });
});

describe('front matter of another format', () => {
  const FORMATS = ['text/x-source.python', 'text/x-source.other', 'text/csv', 'text/tab-separated-values'];
  const names = ['ann', 'ann.lua', 'ann.py', 'ann.csv', 'ann.md', 'ann.pdf'];

  test.each(FORMATS)('goes when it is indexed, and where it is kept already: %s', async (mediaType) => {
    const text = `---\n${F}: ${V}\n---\n\narchive\n`;
    const documents = names.map((id) => ({ id, text, mediaType }));
    for (const when of ['as', 'after']) {
      const cwd = temporaryFolder();
      const before = await createEngine({ config: { provider: 'libsql' }, cwd });
      if (when === 'after') await before.push(documents);
      await before.close();
      const engine = await openMarked(cwd);
      if (when === 'as') await engine.push(documents);
      else {
        const named = (await engine.verify()).drift.map(({ detail }) => detail);
        expect(named).toContainEqual(expect.stringMatching(/6 documents .* texts of the ledger/));
        await engine.rotateEncryption();
      }
      expect((await engine.verify()).drift).toEqual([]);
      for (const { id } of documents) expect((await engine.get(id))?.text).toContain('archive');
      await engine.close();
      await expectNowhere(cwd, V);
    }
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
    await expectNowhere(cwd, VALUE);
  });

  test('is named and cleaned where an earlier generation holds it', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'n'));
    writeFileSync(join(cwd, 'n', 'a.md'), `---\n${FIELD}: ${VALUE}\n---\n\nAnn works in the archive.\n`);
    const before = await createEngine({ config: { provider: 'libsql' }, cwd });
    await before.index({ paths: ['n'] });
    await before.close();
    const engine = await openMarked(cwd);
    await engine.index({ paths: ['n'], options: { force: true } });
    const { drift } = await engine.verify();
    expect(drift.map(({ kind, source }) => [kind, source])).toEqual(
      drift.map(() => ['field-readable', FIELD]),
    );
    expect(drift.map(({ detail }) => /in clear in (.*?)\. /.exec(detail)?.[1])).toEqual([
      'the metadata of the ledger in generation 1',
      'the texts of the ledger in generation 1',
      'the metadata of the store in generation 1',
      'the texts of the store in generation 1',
    ]);
    await engine.rotateEncryption();
    expect((await engine.verify()).drift).toEqual([]);
    await engine.close();
    await expectNowhere(cwd, VALUE);
  });

  test('is named first, of every tenant to a scope without one, and of its own to a tenant', async () => {
    const cwd = temporaryFolder();
    const before = await createEngine({
      config: { provider: 'libsql', sources: [{ name: 'n', type: 'files', root: 'n' }] },
      cwd,
    });
    mkdirSync(join(cwd, 'n'));
    writeFileSync(join(cwd, 'n', 'a.md'), '# The archive\n');
    await before.index();
    const text = `---\n${F}: ${V}\n---\n\nThe archive.\n`;
    const document = { id: 'page', text, mediaType: 'text/markdown', metadata: { [F]: V } };
    await before.push([document], { tenant: 'acme' });
    await before.close();
    writeFileSync(join(cwd, 'n', 'b.md'), '# The other archive\n');
    const engine = await openMarked(cwd, { sources: [{ name: 'n', type: 'files', root: 'n' }] });
    const kindsOf = async (tenant?: string) => {
      const scope = tenant === undefined ? undefined : { tenant };
      return (await engine.verify({}, scope)).drift.map(({ kind }) => kind);
    };
    const all = await kindsOf();
    expect(all.slice(0, 4)).toEqual(Array.from({ length: 4 }, () => 'field-readable'));
    expect(all).toContain('source-new');
    expect(await kindsOf('acme')).toContain('field-readable');
    expect(await kindsOf('other')).not.toContain('field-readable');
    await engine.rotateEncryption();
    expect(await kindsOf()).not.toContain('field-readable');
  });

  test('has no title or heading that a field left there, and keeps what is no front matter', async () => {
    const cwd = temporaryFolder();
    const before = await createEngine({ config: { provider: 'libsql' }, cwd });
    const body = '\n\nAnn works in the archive.\n';
    const texts: Record<string, string> = {
      comment: `\n---\ntitle: foo\n# ${F}: ${V}\n---${body}`,
      toml: `+++\n${F} = """\n# ${V}\n"""\n+++${body}`,
      underlined: `---\nfoo: 1\n${F}: ${V}\n===${body}`,
      declared: `---\ntitle: The red archive\n${F}: ${V}\n---${body}`,
    };
    const code = `--- ${F} of an owner\n---\n--- another: kept\narchive()\n`;
    await before.push([
      ...Object.entries(texts).map(([id, text]) => ({ id, text, mediaType: 'text/markdown' })),
      { id: 'pay.lua', text: code, mediaType: 'text/x-source.other' },
    ]);
    expect(bytesIn(cwd)).toContain(V);
    await before.close();
    const engine = await openMarked(cwd);
    expect((await engine.verify()).drift).not.toEqual([]);
    await engine.rotateEncryption();
    expect((await engine.verify()).drift).toEqual([]);
    const { documents } = await engine.list();
    const titles = documents.flatMap(({ title }) => title ?? []);
    expect(titles.sort()).toEqual(['The red archive', 'pay.lua']);
    expect((await engine.get('pay.lua'))?.text).toBe(
      code.replace(/salary_band of an owner/, (said) => ' '.repeat(said.length)),
    );
    for (const id of Object.keys(texts)) expect((await engine.get(id))?.text).toContain('Ann works');
    expect((await engine.search({ text: V, options: { mode: 'lexical' } })).results).toEqual([]);
    await engine.close();
    await expectNowhere(cwd, V);
  });
});
