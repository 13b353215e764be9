import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RawDocument } from '../core/document.js';
import { OPEN_ACCESS } from '../core/scope.js';
import { ASCIIDOC_PARSER } from '../parsing/asciidoc/asciidoc-parser.js';
import { createParsers } from '../parsing/create-parsers.js';
import { fileTypeOf } from '../sources/file-types.js';
import { parseWithheld } from './withheld-document.js';
import { withholdText } from './withheld-fields.js';

const VALUE = 'zirconflorin';
const secrets = fc.oneof(
  fc.constantFrom(VALUE, `x "${VALUE}`, '}', ']', ',', '\\'),
  fc.array(fc.constantFrom(VALUE, '[{'), { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('p', ']'), fc.constantFrom(VALUE, 1, null)),
);
const isOfPay = (name: string): boolean => name.startsWith('pay');
const records = fc
  .dictionary(fc.constantFrom('pay', 'a', 'pay.base', 'name', 'b'), secrets, { maxKeys: 5 })
  .map((record) =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [name, isOfPay(name) ? value : 'kept'])),
  );

test.each(['a list', 'lines'])('records of JSON stay valid, as long, and clean: %s', (form) => {
  const isLines = form === 'lines';
  const lists = fc.array(records, { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(lists, fc.constantFrom(undefined, 2), (list, indent) => {
      const text = isLines
        ? list.map((record) => JSON.stringify(record)).join('\n')
        : JSON.stringify(list, null, indent);
      const left = withholdText(text, ['pay'], { isConverted: false, isLines })?.text ?? text;
      expect(left).toHaveLength(text.length);
      expect(left).not.toContain(VALUE);
      expect(withholdText(left, ['pay'], { isConverted: true, isLines })).toBeUndefined();
      if (left.trim() === '') return;
      const kept: unknown = JSON.parse(isLines ? `[${left.split('\n').join(',')}]` : left);
      const wanted = list.map((record) => Object.entries(record).filter(([name]) => !isOfPay(name)));
      expect(kept).toEqual(wanted.map((entries) => Object.fromEntries(entries)));
    }),
  );
});

const SENTENCE = 'By {author} in {revnumber} of {revdate}.';
const HEADERS = [
  `= G\nAnn Lee <ann@a.example>\nv1.2, 2026-01-02: Gates\n\n${SENTENCE}\n`,
  `= G\n:author: Ann Lee\n:revnumber: 1.2\n:revdate: 2026-01-02\n\n${SENTENCE}\n`,
];
const FACTS: readonly (readonly [string, string])[] = [
  ['author', 'Ann Lee'],
  ['version', '1.2'],
  ['date', '2026-01-02'],
];
test.each(HEADERS.flatMap((content) => FACTS.map(([field, value]) => ({ content, field, value }))))(
  'the header of AsciiDoc tells no $field that is marked: $content',
  async ({ content, field, value }) => {
    const raw = { externalId: 'a.adoc', mediaType: 'text/asciidoc', metadata: {}, access: OPEN_ACCESS };
    const parse = (each: RawDocument) => Promise.resolve(ASCIIDOC_PARSER.parse(each));
    const { parsed } = await parseWithheld({ ...raw, content }, [field], parse);
    expect(parsed.text).not.toContain(value);
    // It is encrypted.
    expect(parsed.metadata[field]).toBe(value);
  },
);

const PARTS = [
  'salary',
  'salary.base',
  'salary.base.eur',
  'salary.a,b',
  'salary.a:b',
  "salary.a'b",
  'salary.a"b',
  'salary.',
  'fact:salary.base',
];
const FORMS: Readonly<Record<string, (name: string) => string>> = {
  JSON: (name) => JSON.stringify({ a: 1, [name]: VALUE }),
  'a list of JSON': (name) => JSON.stringify([{ a: 1, [name]: VALUE }], undefined, 2),
  'lines of JSON': (name) => `{"a":1}\n${JSON.stringify({ [name]: VALUE })}\n`,
  'JSON with escapes': (name) =>
    JSON.stringify({ [name]: VALUE })
      .replace(/a(?=l)/, '\\u0061')
      .replaceAll('.', '\\u002e'),
  'JSON with comments': (name) => `{ // of Ann\n${JSON.stringify({ [name]: VALUE }).slice(1)}`,
  'front matter in YAML': (name) => `---\na: 1\n${JSON.stringify(name)}: ${VALUE}\n---\nText.\n`,
};

test.each(Object.keys(FORMS).flatMap((form) => PARTS.map((name) => [form, name] as const)))(
  'what is called like a marked field, or a part of it, is taken out of %s: %s',
  (form, name) => {
    const text = FORMS[form]?.(name) ?? '';
    const isLines = form.startsWith('lines');
    expect(text).toContain(VALUE);
    expect(withholdText(text, ['salary'], { isConverted: false, isLines })?.text ?? text).not.toContain(
      VALUE,
    );
    expect(withholdText(text, ['sal'], { isConverted: false, isLines })).toBeUndefined();
  },
);

const LONG = 'x '.repeat(40_000);
test.each([
  ['JSON', `{"a": "${LONG}", "salary": {"b": ["${VALUE}"]}, "c": 1}\n`],
  ['JSON with an escaped name', `{"a": ["${LONG}"], "s\\u0061lary": "${VALUE}"}\n`],
  ['JSON that cannot be read', `{"a": "${LONG}",, "salary": "${VALUE}"}\n`],
  ['YAML', `---\na: ${LONG}\nsalary: ${VALUE}\n---\n`],
])('a long text states no field any more: %s', (_, text) => {
  expect(withholdText(`${text}\nkept\n`, ['salary'], { isConverted: false })?.text).not.toContain(VALUE);
});

const TYPES = {
  tex: 'application/x-tex',
  md: 'text/markdown',
  html: 'text/html',
  adoc: 'text/asciidoc',
  json: 'application/json',
  yaml: 'text/x-source.other',
  eml: 'message/rfc822',
};
const parsers = createParsers();

async function stored(format: keyof typeof TYPES, content: string): Promise<string> {
  const mediaType = TYPES[format];
  const raw = { externalId: `a.${format}`, mediaType, content, metadata: {}, access: OPEN_ACCESS };
  const { parsed } = await parseWithheld(raw, ['salary_band'], async (each) => {
    const parser = parsers.get(each.mediaType);
    if (parser === undefined) throw new RangeError(each.mediaType);
    return await parser.parse(each);
  });
  return parsed.text;
}

const HEAD_OF_TEX = String.raw`\documentclass{article}\begin{document}`;
test.each([
  ['tex', String.raw`\newcommand{\salaryband}{${VALUE}} Ann has \salaryband{} here.`],
  ['tex', String.raw`\renewcommand*\salaryband[1]{\textbf{${VALUE}} #1} Ann has \salaryband{a} here.`],
  ['tex', String.raw`\def\salaryband{${VALUE}}Ann has \salaryband.`],
  ['tex', `${HEAD_OF_TEX}Ann has \\salaryband{${VALUE}} here.\\end{document}`],
  ['tex', `${HEAD_OF_TEX}\\setkeys{pay}{place=x,salary_band=${VALUE}} Ann.\\end{document}`],
  ['md', String.raw`Ann has \salaryband{${VALUE}} here.`],
  ['md', `A line with \\newcommand{\\salaryband}{${VALUE}} there.`],
  ['md', `\`\`\`latex\n\\newcommand\\salaryband{%\n  ${VALUE}}\n\`\`\`\n`],
  ['md', `Ann: <span data-salary-band>${VALUE}</span> it is.`],
  ['md', `Ann: <span title="The salary band of Ann">${VALUE}</span> it is.`],
  ['md', `Ann: <abbr title="salary band">SB</abbr>: ${VALUE}`],
  ['html', `<p>Ann: <abbr title="salary band">SB</abbr>: ${VALUE}</p>`],
  ['html', `<p>Ann: <span data-salary-band>${VALUE}</span> it is.</p>`],
  ['md', `\`\`\`xml\n<code value="salary_band"/>\n<valueString value="${VALUE}"/>\n\`\`\`\n`],
  ['md', `It is {"code":"salary_band","valueString":"${VALUE}"} there.`],
  ['md', `It is \`{"url":"https://a.example/salary_band","valueCode":"${VALUE}"}\` there.`],
  ['md', `\`\`\`yaml\n- url: https://a.example/salary_band\n  valueCode: ${VALUE}\n\`\`\`\n`],
  ['md', `It is {"code":{"coding":[{"code":"salary_band"}]},"valueString":"${VALUE}"} there.`],
  ['json', `{"extension":[{"url":"https://a.example/salary_band","valueCode":"${VALUE}"}]}`],
  ['json', `{"code":{"coding":[{"code":"salary_band"}]},"valueString":"${VALUE}"}`],
  ['md', `<table>\n<tr><td>Name<td>Salary band<td>City\n<tr><td>Ann<td>${VALUE}<td>Rome\n</table>\n`],
  [
    'md',
    `<table><thead><tr><td><b>Name</b><td><b>Salary band</b></thead><tr><td>Ann<td>${VALUE}<tr><td>Bob<td>${VALUE}</table>`,
  ],
  [
    'html',
    `<table><tr><th>Staff<th>Pay<tr><th>of the<th>of it<tr><th>Name<th>Salary band<tr><td>Ann<td>${VALUE}</table>`,
  ],
  [
    'md',
    `| Staff | Annual | Pay |\n|---|---|---|\n| | salary | |\n| Name | band | Bonus |\n| Ann | ${VALUE} | 5 |\n`,
  ],
  ['adoc', `|===\n.3+|Name 2+|Pay\n2+|Money\n|Salary band |Bonus\n\n|Ann |${VALUE} |5\n|===\n`],
  ['adoc', `[cols="3"]\n|===\n|Name .3+|Salary band |Place\n|a |b\n|c |d\n|Ann |${VALUE} |Rome\n|===\n`],
  [
    'adoc',
    `[cols="1,1,1"]\n|===\n.3+|Name\n.3+|Salary band\n|Place\n|City\n|Town\n|Ann |${VALUE} |Rome\n|===\n`,
  ],
  ['tex', `\\newcommand{\\annSalaryBand}{${VALUE}}Ann has \\annSalaryBand.`],
  ['tex', `\\begin{salaryband}${VALUE}\\end{salaryband} Ann.`],
  [
    'tex',
    `\\expandafter\\def\\csname salaryband\\endcsname{${VALUE}} Ann has \\csname salaryband\\endcsname.`,
  ],
  ['md', `x | y\nName | Salary band\n---|---\nAnn | ${VALUE}\n`],
  ['md', `Ann: <span title="Ann's salary band">${VALUE}</span> it is.`],
  ['html', `<p>Ann: <i aria-label="Salary band"></i> ${VALUE}</p>`],
  ['json', `{"url":"a/salary_band","extension":[{"url":"code","valueCode":"${VALUE}"}]}`],
  ['md', `<table><tr><td>Name<td>Salary<br>band<tr><td>Ann<td>${VALUE}</table>`],
  ['md', `<table><tr><td rowspan=3>Name<td>Annual<tr><td>salary<tr><td>band<tr><td>Ann<td>${VALUE}</table>`],
  ['md', `| Name | Salary<br>band |\n|---|---|\n| Ann | ${VALUE} |\n`],
  ['md', `| Name | Salary |\n| | band |\n| | (EUR) |\n|---|---|\n| Ann | ${VALUE} |\n`],
] as const)('no form of a name in front of a value is passed over: %s %s', async (format, content) => {
  expect(content).toContain(VALUE);
  expect(await stored(format, content)).not.toContain(VALUE);
});

test.each([
  ['md', 'Ann: <abbr title="salary band">SB</abbr> is set by the board.\n', 'is set by the board'],
  ['md', 'a | b\nName | City\n---|---\nAnn | Rome\n\nThe salary band.\n', 'Rome'],
  ['md', '<i aria-label="Salary band"></i> is set by the board.\n', 'is set by the board'],
  ['json', '{"url":"https://a.example/salary_band","title":"Guide"}', 'Guide'],
  ['json', '{"links":[{"url":"https://a.example/salary_band"}],"value":"Guide"}', 'Guide'],
  ['adoc', 'The salary band.\n\n|===\n|a |b\n2+|the salary and the band\n|c |Guide\n|===\n', 'Guide'],
] as const)('what mentions a name alone stays: %s %s', async (format, content, kept) => {
  expect(await stored(format, content)).toContain(kept);
});

test.each([
  '{\n "required": ["name",\n  "salary_band"\n ],\n "x": 1\n}\n',
  '{\n  "required": [\n    "name",\n    "salary_band"\n  ],\n  "x": 1\n}\n',
  '[\n  [\n    "salary_band"\n  ]\n]\n',
  '{\n  "a": ["salary_band"\n  ]\n}\n',
])('a name that is an element of a list of JSON states nothing: %j', (text) => {
  for (const mediaType of ['', 'application/json'])
    expect(withholdText(text, ['salary_band'], { isConverted: false, mediaType })).toBeUndefined();
  const fenced = `\`\`\`json\n${text}\`\`\`\n`;
  expect(withholdText(fenced, ['salary_band'], { isConverted: false })?.text ?? fenced).toBe(fenced);
});

test.each([
  'assertEquals("V", p.getSalaryBand());',
  'self.assertEqual("V", p.salary_band)',
  'assertEquals("of Ann", "V", ann().getSalaryBand());',
  'assert "V" == p.salary_band',
  'expect("V").toBe(p.salaryBand);',
  '"V".equals(p.getSalaryBand())',
  'assertEquals(p.getSalaryBand(), "V");',
  'if (p.getSalaryBand() == "V") f();',
  "SELECT name FROM pay WHERE 'V' = salary_band;",
  'EXPECT_EQ(7V, d["salary_band"]);',
])('a literal that a program compares with a name goes: %j', (line) => {
  for (const mediaType of ['', 'text/x-source.java']) {
    const kept = withholdText(`one();\n${line}\ntwo("kept");\n`, ['salary_band'], {
      isConverted: false,
      mediaType,
    });
    expect(kept?.text).not.toContain('V');
    expect(kept?.text).toContain('two("kept")');
  }
});

test.each([
  [
    'a record',
    'json',
    '{"key":"HR-1","summary":"Export of salary band","status":"Open"}',
    '{"key":"HR-1","status":"Open"}',
  ],
  ['a step', 'yaml', 'steps:\n  - name: Check the salary band\n    run: npm test\n', 'steps: run: npm test'],
  [
    'an item',
    'html',
    '<ul><li>Budget</li><li>Salary band</li><li>Laptops</li></ul>',
    '- Budget - Salary band - Laptops',
  ],
  [
    'a link',
    'html',
    '<p><a href="/a">Salary band</a> <a href="/b">Leave</a></p>',
    '[Salary band](/a) [Leave](/b)',
  ],
  [
    'headers',
    'eml',
    'From: a@x.example\r\nTo: b@x.example\r\nSubject: On the salary band\r\n\r\nHi,\r\n\r\nkept\r\n',
    'From: a@x.example To: b@x.example kept',
  ],
  [
    'the heading of a column',
    'md',
    '| a | Which salary band? | b |\n|---|---|---|\n| c | V | d |\n',
    '| a | | b | |---|---|---| | c | | d |',
  ],
  ['JSON', 'json', '{"salary_band": "V"}', '{}'],
] as const)('what a field is only mentioned beside is kept: %s', async (_, format, content, left) => {
  expect(
    (await stored(format, content))
      .replace(/[ \n]+/g, ' ')
      .replace(/\{ |,? +(?=,)/g, (all) => all.trim() || '')
      .trim(),
  ).toBe(left);
});

const cardOf = (label: string): string => `| ${label} | V1 |\n|---|---|\n| Line 2 | kept |\n`;
const [F1, F2] = ['customer', 'salary_band'];
/** A file, a marked name, what the text is, and what of it stays; values of the field begin with `V`. */
const STRUCTURES: readonly (readonly [string, string, string, readonly string[]])[] = [
  ['a.md', F1, cardOf('Customer'), ['kept']],
  ['a.md', F2, cardOf('Salary band (EUR)'), ['kept']],
  ['a.md', F1, cardOf('Customer:').replace('Line 2', 'Office:'), ['Office:', 'kept']],
  ['a.csv', F1, 'Customer,V1\nISO 9001,kept\n', ['kept']],
  [
    'a.html',
    F1,
    '<table><tr><td>Customer:</td><td>V1</td></tr><tr><td>Office:</td><td>kept</td></tr></table>',
    ['Office:', 'kept'],
  ],
  [
    'a.html',
    F2,
    '<table><tr><th>Salary band</th><td>V1</td></tr><tr><th>Office</th><td>kept</td></tr></table>',
    ['Office', 'kept'],
  ],
  ['a.adoc', F1, '|===\n|Customer |V1\n|Office |kept\n|===\n', ['kept']],
  [
    'a.md',
    F2,
    '| Name | Salary band (k€) | X |\n|---|---|---|\n| Ann | V1 | kept |\n',
    ['Name', 'Ann', 'kept'],
  ],
  [
    'a.md',
    F2,
    '| Name | Salary&nbsp;band 2024 | X |\n|---|---|---|\n| Ann | V1 | kept |\n',
    ['Name', 'Ann', 'kept'],
  ],
  ['a.txt', F2, 'NAME   SALARY_BAND   X\nAnn    V1            kept\n', ['NAME', 'Ann', 'kept']],
  [
    'a.rst',
    F2,
    '====  ===========  ====\nName  Salary band  X\n====  ===========  ====\nAnn   V1           kept\n====  ===========  ====\n',
    ['Name', 'Ann', 'kept'],
  ],
  [
    'a.rst',
    F2,
    '.. csv-table:: Staff\n   :header: "Name", "Office", "Salary band"\n\n   "Ann", "kept", "V1, V2"\n\nkept\n',
    ['Ann', 'kept'],
  ],
  ['a.jsonl', F1, '["office", "customer"]\n["kept", "V1"]\n', ['office', 'kept']],
  [
    'a.md',
    F2,
    '---\ntitle: kept\ntags: [x]\nslug: /salary-band\n---\n\nIntro.\n',
    ['kept', 'tags: [x]', 'Intro'],
  ],
  ['a.md', F2, '---\ntitle: kept\ndescription: Her salary band is V1\n---\n\nIntro.\n', ['kept', 'Intro']],
  [
    'a.html',
    F1,
    '<p><span property="hr:customer">V1</span></p><p itemprop="https://schema.org/customer">V2</p><p>kept</p>',
    ['kept'],
  ],
  ['a.xml', F2, '<c><field>salary_band</field><from>V1</from><to>V2</to></c>', []],
];
test.each(STRUCTURES)(
  'of a structure the value goes alone: %s, %s in %j',
  async (externalId, name, content, kept) => {
    const { mediaType } = fileTypeOf(externalId);
    const raw = { externalId, mediaType, metadata: {}, access: OPEN_ACCESS, content };
    const parse = async (each: RawDocument) => (parsers.get(each.mediaType) ?? ASCIIDOC_PARSER).parse(each);
    const { text } = (await parseWithheld(raw, [name], parse)).parsed;
    expect(text).not.toMatch(/V\d/);
    for (const each of kept) expect(text).toContain(each);
  },
);
