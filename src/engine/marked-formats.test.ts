import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import { docxEntries, docxParagraph, docxTable, makeZip } from '../../tests/fixtures/documents/make-docx.js';
import { makeEpub, makeOdt, makePptx, makeXlsx } from '../../tests/fixtures/documents/make-office.js';
import { makePdf } from '../../tests/fixtures/documents/make-pdf.js';
import { F, LATE_FORMS, MARKED_FORMS, ONE_WORD, V } from '../../tests/fixtures/marked-forms.js';
import type { RAGSettingsInput } from '../config/schema/index.js';
import { MEDIA_TYPES } from '../core/media-types.js';
import type { Engine } from '../operations/engine.js';
import { filesWith } from '../testing/files-with.js';
import { createEngine } from './create-engine.js';

const KEY = { id: 'k', key: randomBytes(32).toString('base64') };
const FIELDS = [F, ONE_WORD, 'from', 'subject'];

type Rows = readonly (readonly string[])[];
const COLUMN: Rows = [
  ['name', F, 'place'],
  ['Ann', V, 'kept'],
  ['Bob', `${V}, b`, 'kept'],
];
const BESIDE: Rows = [
  [F, V],
  ['place', 'kept'],
  ['name', 'Ann'],
];
const html = (rows: Rows, first: 'td' | 'th' = 'td', others: 'td' | 'th' = 'td'): string =>
  `<table>${rows.map((row, at) => `<tr>${row.map((text, place) => (place === 0 || at === 0 ? `<${place === 0 ? others : first}>${text}</${place === 0 ? others : first}>` : `<td>${text}</td>`)).join('')}</tr>`).join('')}</table>`;
const cell = (place: string, text: string): string =>
  `<c r="${place}" t="inlineStr"><is><t>${text}</t></is></c>`;
const sheetRows = (rows: Rows): string =>
  rows
    .map(
      (row, at) =>
        `<row r="${at + 1}">${row.map((text, place) => cell(`${'ABC'.charAt(place)}${at + 1}`, text)).join('')}</row>`,
    )
    .join('');
const sheet = (rows: Rows): Uint8Array => makeXlsx({ sheets: { S: sheetRows(rows) } });
const odt = (rows: Rows): string =>
  `<table:table>${rows.map((row) => `<table:table-row>${row.map((text) => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`).join('')}</table:table-row>`).join('')}</table:table>`;
const slide = (rows: Rows): string =>
  `<p:graphicFrame><a:graphic><a:graphicData><a:tbl>${rows.map((row) => `<a:tr>${row.map((text) => `<a:tc><a:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></a:txBody></a:tc>`).join('')}</a:tr>`).join('')}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>`;
const docx = (...parts: readonly string[]): Uint8Array => makeZip(docxEntries(parts.join('')));
const mail = (headers: string, text = 'kept'): string =>
  `To: Zed <zed@x.example>\r\n${headers}\r\nDate: Mon, 1 Jan 2024 10:00:00 +0000\r\n\r\n${text}\r\n`;
const API = {
  openapi: '3.0.0',
  info: { title: 'kept', [F]: V },
  paths: {
    '/x': {
      get: { parameters: [{ name: F, in: 'query', description: V, schema: { type: 'string', enum: [V] } }] },
    },
  },
  components: {
    schemas: { P: { properties: { [F]: { type: 'string', description: V }, place: { type: 'string' } } } },
  },
};

/** Comments on cells of a sheet, by their places. */
const commented = (rows: Rows, comments: Readonly<Record<string, string>>): Uint8Array =>
  makeXlsx({
    sheets: { S: sheetRows(rows) },
    more: [
      {
        name: 'xl/worksheets/_rels/sheet1.xml.rels',
        content:
          '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments" Target="../comments1.xml"/></Relationships>',
      },
      {
        name: 'xl/comments1.xml',
        content: `<comments xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><commentList>${Object.entries(
          comments,
        )
          .map(([ref, text]) => `<comment ref="${ref}"><text><r><t>${text}</t></r></text></comment>`)
          .join('')}</commentList></comments>`,
      },
    ],
  });

/** What is said, the end of the name of its file, and what is in that: the value, and the word kept. */
const DOCUMENTS: readonly (readonly [string, string, string | Uint8Array])[] = [
  ['who wrote a message', 'eml', mail(`From: ${V} <${V}@x.example>\r\nSubject: kept`)],
  ['its subject', 'eml', mail(`From: a@x.example\r\nSubject: The ${V}`)],
  ['a header of a message within', 'eml', mail('Subject: kept', `kept\r\n\r\nFrom: ${V}\r\nTo: kept\r\n`)],
  ['a member inside', 'json', JSON.stringify({ person: { place: 'kept', [F]: V, z: 1 } }, null, 2)],
  [
    'members of lists inside',
    'json',
    JSON.stringify([{ a: [[{ [F]: V }], { b: { [F]: [V], c: 'kept' } }] }]),
  ],
  ['a member inside a line', 'jsonl', `${JSON.stringify({ person: { [F]: { of: V } } })}\n{"a":"kept"}\n`],
  ['an interface in JSON', 'openapi.json', JSON.stringify(API)],
  ['an interface in YAML', 'openapi.yaml', stringify(API)],
  ['what is called an interface', 'swagger.yml', `person:\n  ${F}: ${V}\n  place: kept\n`],
  ['a column of CSV', 'csv', `name;${F};place\nAnn;"${V};\n""b"" ";kept\r\nBob;${V};kept\n`],
  ['the first column of CSV', 'csv', `Salary Band (EUR),name,place\n${V}1,Ann,kept\n"${V}2",Bob,kept`],
  ['a row of CSV', 'csv', `place,kept\n"${F}",${V}\nname,Ann\n`],
  ['the first row of CSV', 'csv', BESIDE.map((row) => row.join(',')).join('\n')],
  ['a column below a title of CSV', 'csv', `Report of kept\n\nname;${F}\nAnn;${V}\nBob;"${V}"\n`],
  ['a column of TSV', 'tsv', COLUMN.map((row) => row.join('\t')).join('\n')],
  ['a column of a sheet', 'xlsx', sheet(COLUMN)],
  ['a column below a title', 'xlsx', sheet([['Report', '2025', ''], ...COLUMN])],
  ['a column that goes on below an empty row', 'xlsx', sheet([...COLUMN, [], ['Cor', V, 'kept']])],
  ['a row of a sheet', 'xlsx', sheet(BESIDE)],
  ['a comment on a cell of a column', 'xlsx', commented(COLUMN, { B2: `It was ${V}.`, C2: 'kept' })],
  ['a comment on a cell of a row', 'xlsx', commented(BESIDE, { B1: `Now ${V}.`, B2: `kept` })],
  ['a comment that states it', 'xlsx', commented(COLUMN, { C2: `kept, salary band: ${V}` })],
  [
    'a column of a page with single blanks',
    'pdf',
    makePdf([[`Staff kept\nname ${F} place\nAnn ${V} Utrecht\nBob Lee ${V}x Rome`]]),
  ],
  ['the last column of a page', 'pdf', makePdf([[`kept here\nname salary band\nAnn ${V}\nBob ${V}x`]])],
  ['a column of a page', 'html', html(COLUMN, 'th', 'th')],
  ['a row of a page', 'html', html(BESIDE)],
  ['a row of a page with its name as header', 'html', html(BESIDE, 'td', 'th')],
  [
    'a table on its side',
    'html',
    html(
      [
        [F, V, `${V} b`],
        ['place', 'kept', 'kept'],
      ],
      'td',
      'th',
    ),
  ],
  [
    'pairs side by side',
    'html',
    html([
      ['name', 'Ann', F, V],
      ['place', 'kept', 'b', 'c'],
    ]),
  ],
  [
    'a term of a page',
    'html',
    `<dl><dt>place</dt><dd>kept</dd><dt><b>${F}</b></dt><dd>${V}</dd><dd>${V} b</dd></dl>`,
  ],
  ['a second term', 'html', `<dl><dt>a</dt><dt>${F}</dt><dd><p>${V}</p><p>b ${V}</p></dd></dl><p>kept</p>`],
  [
    'lines of a page',
    'html',
    `<p>kept</p><p><b>Salary band:</b> ${V}</p><ul><li>${F}:<ul><li>${V}</li></ul></li></ul>`,
  ],
  ['a column of Word', 'docx', docx(docxParagraph('kept'), docxTable(COLUMN.map((row) => [...row])))],
  ['a line of Word', 'docx', docx(docxParagraph('kept'), docxParagraph(`${F}: ${V}`))],
  ['a column of OpenDocument', 'odt', makeOdt(odt(COLUMN))],
  ['a column of a slide', 'pptx', makePptx([slide(COLUMN)])],
  [
    'a book',
    'epub',
    makeEpub({ 'c.xhtml': `<p>kept</p>${html(COLUMN)}<dl><dt>${F}</dt><dd>${V}</dd></dl>` }),
  ],
  ['a column of Markdown', 'md', `kept\n\nname | *${F}*\n:-- | -\nAnn | ${V} \\| b\nBob | \`${V}\`\n`],
  ['a column in a quotation', 'md', `> | a | ${F} |\n> |---|---|\n> | kept | ${V} |\n`],
  ['a term of Markdown', 'md', `kept\n\n${F}\n: ${V}\n  b ${V}\n`],
  ['front matter of Quarto', 'qmd', `---\nparams:\n  ${F}: ${V}\n---\nkept\n`],
  ['properties of Org', 'org', `#+${F}: ${V}\n* A\n:PROPERTIES:\n:${F}: ${V}\n:END:\nkept\n- ${F} :: ${V}\n`],
  ['a column of Org', 'org', `| place | ${F} |\n|-------+---|\n| kept | ${V} |\n`],
  [
    'a description of TeX',
    'tex',
    `\\begin{document}kept\\begin{description}\\item[salary\\_band] ${V}\\end{description}\\end{document}`,
  ],
  [
    'a column of TeX',
    'tex',
    `\\begin{document}\\begin{tabular}{ll}a & salary\\_band \\\\ kept & ${V}\\end{tabular}\\end{document}`,
  ],
  ['a line of RTF', 'rtf', `{\\rtf1{\\info{\\author ${V}}}kept\\par ${F}: ${V}\\par}`],
  [
    'a notebook',
    'ipynb',
    JSON.stringify({
      nbformat: 4,
      metadata: { [F]: V },
      cells: [
        { cell_type: 'markdown', metadata: { [F]: V }, source: `kept\n\n| a | ${F} |\n|-|-|\n| b | ${V} |` },
        { cell_type: 'code', source: 'x', outputs: [{ output_type: 'stream', text: `${F}: ${V}\n` }] },
      ],
    }),
  ],
  ['a table of AsciiDoc', 'adoc', `kept\n\n|===\n|name |${F}\n\n|Ann |${V}\n|===\n`],
  [
    'a table of reStructuredText',
    'rst',
    `kept\n\n====  ===========\nname  ${F}\n====  ===========\nAnn   ${V}\n====  ===========\n`,
  ],
];
const ALL: typeof DOCUMENTS = [...DOCUMENTS, ...MARKED_FORMS];

/** Of letters alone, one word for each document. */
const secretOf = (at: number): string =>
  `${V}${String(at).replace(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit)))}q`;

const filesOf = (documents: typeof DOCUMENTS) =>
  documents.map(([name, ending, content], at) => {
    const secret = secretOf(at);
    const fileName = `${at}.${ending}`;
    if (typeof content === 'string')
      return { name, secret, fileName, content: content.replaceAll(V, secret) };
    // Entries of an archive are stored as they are where they are made anew; here the value is the same in all.
    return { name, secret: V, fileName, content };
  });

async function open(cwd: string, rag: RAGSettingsInput = {}): Promise<Engine> {
  const engine = await createEngine({ config: { provider: 'libsql', ...rag }, cwd });
  onTestFinished(() => engine.close());
  return engine;
}
const marked: RAGSettingsInput = { security: { encryption: { fields: FIELDS, keys: [KEY] } } };

test.each(['as', 'after'])(
  'a marked field is nowhere, whatever format states it, %s it is marked',
  async (when) => {
    const cwd = temporaryFolder();
    const files = filesOf(when === 'as' ? [...ALL, ...LATE_FORMS] : ALL);
    const documents = files.map(({ fileName, content }) => ({
      ...{ id: fileName, fileName },
      ...(fileName.endsWith('epub') ? { mediaType: MEDIA_TYPES.epub } : {}),
      ...(typeof content === 'string' ? { text: content } : { bytes: content }),
    }));
    if (when === 'after') {
      const before = await open(cwd);
      expect((await before.push(documents)).stats.errors).toEqual([]);
      await before.close();
    }
    const engine = await open(cwd, marked);
    if (when === 'as') expect((await engine.push(documents)).stats.errors).toEqual([]);
    else {
      expect((await engine.verify()).drift).not.toEqual([]);
      await engine.rotateEncryption();
    }
    const read = await Promise.all(
      files.map(async (file) => ({ ...file, document: await engine.get(file.fileName) })),
    );
    const told = read.filter(({ secret, document }) =>
      JSON.stringify([document?.text, document?.title]).toLowerCase().includes(secret),
    );
    expect(told.map(({ name, document }) => [name, document?.text])).toEqual([]);
    const without = read.filter(({ document }) => !document?.text.includes('kept'));
    expect(without.map(({ name, document }) => [name, document?.text])).toEqual([]);
    expect((await engine.verify()).drift).toEqual([]);
    const text = [V, ...files.map(({ secret }) => secret)].join(' ');
    expect((await engine.search({ text, options: { mode: 'lexical', minScore: 0 } })).results).toEqual([]);
    await engine.close();
    expect(await filesWith(join(cwd, '.ragstone'), V)).toEqual([]);
  },
);

test('a marked field of what was pushed under a name without an ending is taken out later', async () => {
  const cwd = temporaryFolder();
  const texts = [
    `columns: [name, ${F}]\nrows:\n  - [kept, ${V}]\n  - - a\n    - ${V}\n`,
    `-- kept\nUPDATE p SET ${F} = '${V}' WHERE "${F}" LIKE '${V}';\n`,
    `-- kept\nSELECT 1 FROM p WHERE ${F} <> '${V}' AND ${F} IN ('${V}', '${V}');\n`,
  ];
  const before = await open(cwd);
  await before.push(texts.map((text, at) => ({ id: `n${at}`, text })));
  await before.close();
  const engine = await open(cwd, marked);
  expect((await engine.verify()).drift.map(({ detail }) => detail)).toContainEqual(
    expect.stringMatching('of 3 documents stands in clear in the texts of the ledger'),
  );
  await engine.rotateEncryption();
  expect((await engine.verify()).drift).toEqual([]);
  for (const at of texts.keys()) expect((await engine.get(`n${at}`))?.text).toContain('kept');
  await engine.close();
  expect(await filesWith(join(cwd, '.ragstone'), V)).toEqual([]);
});

test('a marked field inside a backlog item is nowhere', async () => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, 'n'));
  const item = {
    id: 'P-1',
    title: 'kept',
    description: 'd',
    acceptance_criteria: [],
    people: [{ b: 1, [F]: V }],
  };
  writeFileSync(join(cwd, 'n', 'a.json'), JSON.stringify(item));
  const engine = await open(cwd, { ...marked, sources: [{ name: 's', type: 'pbi_json', paths: ['n'] }] });
  expect((await engine.index()).stats.errors).toEqual([]);
  expect((await engine.search('kept')).results[0]?.content).toContain('b: 1');
  await engine.close();
  expect(await filesWith(join(cwd, '.ragstone'), V)).toEqual([]);
});

test('a field of metadata that holds a marked one is encrypted whole, shown to readers, and found by no filter', async () => {
  const cwd = temporaryFolder();
  const metadata = { person: { team: 'red', list: [{ [F]: V }] } };
  const document = { id: 'ann', text: 'The archive.', metadata };
  const before = await open(cwd);
  await before.push([document]);
  await before.close();
  const engine = await open(cwd, marked);
  expect((await engine.verify()).drift.map(({ source }) => source)).toContain(F);
  await engine.rotateEncryption();
  await engine.push([{ ...document, id: 'bob' }]);
  expect((await engine.verify()).drift).toEqual([]);
  for (const id of ['ann', 'bob']) expect((await engine.get(id))?.metadata).toMatchObject(metadata);
  expect((await engine.rotateEncryption()).rewritten).toBe(0);
  const asked = engine.search({ text: 'archive', filters: { metadata: { [`person.list.${F}`]: V } } });
  await expect(asked).rejects.toThrow(/cannot be filtered/);
  await engine.close();
  expect(await filesWith(join(cwd, '.ragstone'), V)).toEqual([]);
});

test('what the engine itself writes of a chunk is not encrypted, whatever a marked field is called', async () => {
  const engine = await open(temporaryFolder(), {
    security: {
      encryption: { fields: ['start', 'end', 'EMAIL'], keys: [KEY] },
      redaction: { enabled: true, types: ['EMAIL'] },
    },
  });
  await engine.push([{ id: 'a', text: 'The archive of ann@x.example.', metadata: { end: V } }]);
  for (const round of [1, 2]) {
    const { results } = await engine.search('archive');
    expect([round, results[0]?.metadata]).toMatchObject([
      round,
      { lines: { start: 1, end: 1 }, redactions: { EMAIL: 1 }, end: V },
    ]);
    expect((await engine.verify()).drift).toEqual([]);
    expect((await engine.rotateEncryption()).rewritten).toBe(0);
  }
});
