import { expect, test } from 'vitest';
import { readFrontMatter } from './front-matter.js';
import { statedFields } from './stated-fields.js';

test('a field behind a text of many megabytes is found in JSON', () => {
  const json = `{"a": "${'x\\" '.repeat(4_000_000)}", "owner": "Ann"}`;
  const [owner] = (statedFields(json, ['owner'])?.stated ?? []).map(({ start, end }) =>
    json.slice(start, end),
  );
  expect(owner).toBe(', "owner": "Ann"');
});

test('a line of marks takes no longer than its length says', () => {
  const yaml = `---\na: [\n${'&'.repeat(50_000)} x\nowner: Ann\n---\n`;
  expect(statedFields(yaml, ['owner'])?.stated).toMatchObject([{ start: 0, isUnread: true }]);
});

test('fields of a title block are stated in all of it', () => {
  expect(statedFields('% Plan\n% Ann\n\nText.', ['author', 'owner'])).toEqual({
    range: { start: 0, end: 12 },
    isRecords: false,
    isSettings: false,
    stated: [{ start: 0, end: 12, names: ['author'], isUnread: true }],
  });
  expect(statedFields('% Plan\nText.', ['title'])).toBeUndefined();
});

/** Ends the process or takes minutes where nothing bounds it. */
const DEEP: [string, string][] = [
  '{',
  '[',
  '- ',
  '? ',
  ': ',
  'a: ',
  '{a: ',
  '[a: ',
  '{? ',
  '? - ',
  '&a [',
  '[{',
  '"a": ',
  '{[]: ',
]
  .flatMap((unit) =>
    [400, 10_000].map((count): [string, string] => [`${unit} ${count} times`, unit.repeat(count)]),
  )
  .concat([
    ['indentation', Array.from({ length: 300 }, (_, at) => `${' '.repeat(at)}-\n`).join('')],
    ['names in names', Array.from({ length: 300 }, (_, at) => `${' '.repeat(at)}a:\n`).join('')],
    ['closed brackets', '['.repeat(400) + ']'.repeat(400)],
    ['brackets that texts seem to close', '["]", '.repeat(400)],
    ['brackets behind a text of several lines', `a: |\n  [\nb: ${'['.repeat(400)}`],
    ['mappings that are keys', `${'{'.repeat(60)}a${': b}'.repeat(60)}\n`.repeat(100)],
    ['lists that are keys', `${'? '.repeat(60)}x\n`.repeat(100)],
  ]);

test.each(DEEP)('front matter that nests too deep is not read, and goes whole: %s', (_, nested) => {
  for (const text of [
    `---\nowner: Ann\nx: ${nested}\n---\n`,
    `---\nowner: Ann\n${nested}\n---\n`,
    `---\n${nested}\nowner: Ann\n---\n`,
  ]) {
    expect(statedFields(text, ['owner'])?.stated).toMatchObject([{ isUnread: true }]);
    expect(readFrontMatter(text)).toMatchObject({ fields: {}, warnings: [expect.any(String)] });
  }
});

test.each([
  [
    'brackets in texts',
    `a: "${'['.repeat(100)}"\nb: it's ((${'['.repeat(100)}\nc: |\n  ${'{'.repeat(100)}\n# ${'['.repeat(100)}\n`,
  ],
  ['many lists', 'a%: [{b: [c]}]\n'.repeat(100).replace(/%/g, (_, at: number) => String(at))],
  ['many lines', `a:\n${'- b: [c]\n  d:\n    - e: f\n'.repeat(200)}`],
  ['rules of hyphens', `a: b\n# ${'- '.repeat(100)}\nc: "${'- '.repeat(100)}"\n`],
  ['30 levels', Array.from({ length: 30 }, (_, at) => `${' '.repeat(at)}a:\n`).join('')],
])('front matter that does not nest too deep is read: %s', (_, yaml) => {
  expect(readFrontMatter(`---\n${yaml}---\n`)?.warnings).toEqual([]);
});

test.each([
  ['escapes in a text that is never closed', `"${'\\x61'.repeat(500_000)}`],
  ['escapes in a text that names nothing', `"${'\\x61'.repeat(500_000)}" a`],
  ['texts and escapes', '"\\x61 '.repeat(300_000)],
  ['texts and blanks', `"${' '.repeat(500)}`.repeat(2_000)],
  ['paragraphs', '\n- x\n\nowner: y\n\n'.repeat(60_000)],
  ['paragraphs that name nothing', '\n- x\n\ny\n\n'.repeat(60_000)],
  ['headings', '\n- x\n\nowner: y\n\n# Z\n\n'.repeat(60_000)],
])('a megabyte takes no longer than its length says: %s', (_, yaml) => {
  for (const text of [`---\n${yaml}`, `---\n${yaml}\n---\n`, `---\n${yaml}\n"\\x6fwner": Ann\n---\n`])
    expect(statedFields(text, ['owner'])?.range.start).toBe(0);
});

test('what follows a field between rules counts to it, up to a heading', () => {
  const text = '---\n\n- x\n\nowner: a\n\nb\n\n"\\x61": c\n\n# D\n\ne\n\nowner: f\n\n---\n';
  const parts = statedFields(text, ['owner', 'team'])?.stated ?? [];
  expect(parts.map(({ start, end, names }) => [text.slice(start, end), names])).toEqual([
    ['owner: a\n\nb\n\n"\\x61": c', ['owner', 'team']],
    ['owner: f', ['owner']],
  ]);
});

test.each([
  ['an alias of the field', 'owner: &x S\na: *x', 'owner a'],
  ['an alias that the field is', 'a: &x S\nowner: *x', 'a owner'],
  ['an alias in it', 'a: [b, {c: &x S}]\nowner: [*x]', 'a owner'],
  ['aliases of what the field repeats', 'a: &x S\nb: *x\nowner: *x\nd: [*x]', 'a b owner d'],
  ['aliases of aliases', 'a: &x S\nb: &y [*x]\nd: &z {e: *y}\nowner: *z', 'a b d owner'],
  ['an alias of a part of the field', 'owner: [&x S]\na: {b: *x}', 'owner a'],
  ['an alias that is a name', 'owner: &x S\n*x : b', 'owner S'],
  ['a name that the field repeats', '&x S: b\nowner: *x', 'S owner'],
  ['a merge', 'a: &a {owner: S}\nb: *a\n<<: *a', 'a b <<'],
  ['a merge of a merge', 'a: &a {owner: S}\nb: &b {<<: *a}\nd: *b\n<<: *b', 'a b d <<'],
  ['a merge of several', 'a: &a {owner: S}\nb: &b {f: g}\nd: [*a]\n<<: [*b, *a]', 'a b d << f'],
  ['an escaped name that is merged', 'a: &a {"\\x6fwner": S}\n<<: *a', 'a <<'],
  ['an anchor that is given again', 'a: &x T\nb: *x\nowner: &x S\nd: *x', 'owner d'],
  ['braces', '{a: &x S, b: *x, owner: *x, e: f}', 'a b owner'],
])('what repeats a field states it: %s', (_, yaml, keys) => {
  const stated = statedFields(`---\n${yaml}\n---\n`, ['owner'])?.stated ?? [];
  expect(stated.map(({ key }) => key).join(' ')).toBe(keys);
  const other = statedFields(`---\nz: &z T\ny: *z\n${yaml}\n---\n`, ['owner'])?.stated ?? [];
  if (!yaml.startsWith('{')) expect(other.map(({ key }) => key).join(' ')).toBe(keys);
});

const END = '\n\nAnn works.\n';

test.each([
  "{ // c\n 'owner': 'S' }",
  '{\n"a":1, // c\n"owner":"S"}',
  '{ /* c */ "owner": "S" }',
  '{"a": 1, /* c */ "owner": "S"}',
  '{"a": 1, "owner" /* c */ : "S"}',
  '{"a": 1, "owner" // c\n : "S"}',
  '{"a": "https://b", /* c */ "owner": "S"}',
  '{ # c\n owner: S }',
  '{\n"a": 1,\n\n"owner": "S",\n}',
  "{'a': 1, 'owner': 'S'}",
  "{a: 1, owner: 'S'}",
  '{a: 1, "\\x6fwner": "S",}',
  "{a: 1, '\\u{6f}wner': 'S'}",
  "{a: 1, 'ow\\\nner': 'S'}",
  '{\\u006fwner: 1}',
  '{ // }\n\n"owner": "S" }',
  "{ 'a': '}',\n\n'owner': 'S' }",
  '{ /* } */\n\n"owner": "S" }',
  '// c\n{"owner": "S"}',
  '/* c */ {"owner": "S"}',
  '/* c\n\n { */\n// d\n{"a": {},\n\n"owner": "S"}',
  '{"a": {"owner": "S"},}',
])('what begins like JSON and is none goes whole: %j', (json) => {
  const area = statedFields(json + END, ['owner']);
  expect(area?.stated).toMatchObject([{ start: 0, end: json.length, names: ['owner'], isUnread: true }]);
});

test.each([
  '{"a": 1, // c\n "b": "the owner"}',
  '{/* by the owner */}',
  "{a: 'owners', coowner: 1}",
  '// owner: a',
])('what begins like JSON stays where it names no field: %j', (json) =>
  expect(statedFields(json + END, ['owner'])?.stated ?? []).toEqual([]),
);

test.each(['/*', '// ', '{ /*', '{"a": 1, owner/*', "{'", "{'a': '\\", '{ // {\n', '\\u{', 'owner '])(
  'a megabyte of what begins like JSON takes no longer than its length says: %j',
  (unit) => {
    for (const text of [
      unit.repeat(1_000_000 / unit.length),
      `{"a": ${unit.repeat(1_000_000 / unit.length)}}`,
    ])
      expect(statedFields(text, ['owner'])?.range.start ?? 0).toBe(0);
  },
);
