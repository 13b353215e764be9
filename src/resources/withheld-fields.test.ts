import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RawDocument } from '../core/document.js';
import { OPEN_ACCESS } from '../core/scope.js';
import { createAsciidocParser } from '../parsing/asciidoc/asciidoc-parser.js';
import { parseWithheld, withholdText } from './withheld-fields.js';

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
    const parse = (each: RawDocument) => Promise.resolve(createAsciidocParser().parse(each));
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
