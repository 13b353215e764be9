import { describe, expect, test } from 'vitest';
import { withholdText } from '../resources/withheld-fields.js';

const left = (text: string, mediaType = ''): string =>
  withholdText(text, ['salary_band', 'customer'], { isConverted: false, mediaType })?.text ?? text;

describe('a labelled value', () => {
  test.each([
    'Salary band: V1 and\nV2\n',
    'Salary band = V1,\nV2.\nV3\n',
    'Salary band — V1,\nV2\n',
    '**Salary band:** V1,\nV2\n',
    'Her salary band: V1 and\nV2\n',
    'Customer: V1,\nV2\n',
    'Salary band: V1<br>\nV2\n',
    'Salary band: V1  \nV2\n',
    '> Salary band: V1,\n> V2\n',
    '- **Salary band:** V1,\nV2\n',
    'Customer\n   V1\n\n   V2\n',
    'Customer\n   - V1\n\n   - V2\n',
  ])('goes with the lines that it is wrapped to, and no next label: %j', (said) => {
    for (const next of ['Office: Kept', 'Office=Kept', '- Kept', 'Of office — Kept', '\nKept']) {
      const kept = left(`${said}${next}\n`);
      expect(kept).not.toMatch(/V\d/);
      expect(kept.endsWith(`${next}\n`)).toBe(true);
    }
  });

  test.each(['# ', ' * '])('goes on in comments of code: %j', (mark) => {
    const said = `${mark}customer: V1,\n${mark}V2\n`;
    const kept =
      mark === '# '
        ? left(`${said}kept();\n`, 'text/x-source.python')
        : left(`/**\n${said} */\nkept();\n`, 'text/x-source.c');
    expect(kept).not.toMatch(/V\d/);
    expect(kept).toContain('kept();');
  });

  test.each([
    'Customer: V1.\nKept.\n',
    'Customer: V1\n\nKept\n',
    '    id: Kept\ncustomer: V1\n  office: Kept\n       n: Kept\n',
    '// customer: V1\nKept it\n',
    '```\ncustomer: V1\nKept()\n```\n',
  ])('ends where another begins: %j', (text) => {
    expect(left(text)).toBe(text.replace(/(?:\/\/ )?customer: V1\.?/i, (all) => ' '.repeat(all.length)));
  });
});

describe('a name of one word is a label', () => {
  test.each([
    ['Note: Customer: V1', ''],
    ['**Note:** Customer: V1', ''],
    ['note: customer: low v1', ''],
    ['10:01 Bob: customer: V1', ''],
    ['INFO: customer: "V1" Kept', 'Kept'],
    ['We met the customer: V1', ''],
    ['#<Deal customer: "V1", n: Kept>', 'Kept'],
    ['**Office**: x | **Customer**: V1 | **N**: Kept', 'Kept'],
    ['**Office:** x · **Customer:** V1 · **N:** Kept', 'Kept'],
    ['**Office:** x, **Customer:** V1, **N:** Kept', 'Kept'],
    ['**Office:** x &nbsp; **Customer:** V1 &nbsp; **N:** Kept', 'Kept'],
    ['Office: x / Customer: V1 / N: Kept', 'Kept'],
    ['Office: x - Customer: V1 - N: Kept', 'Kept'],
    ['Office: x  Customer: V1  N: Kept', 'Kept'],
    ['Office: x\tCustomer: V1\tN: Kept', 'Kept'],
    ['Deal (customer: V1) of Kept', 'Kept'],
    ['Deal (`customer`: `V1`) of Kept', 'Kept'],
    ['host: [customer:V1] Kept', 'Kept'],
    ['host: <customer=V1> Kept', 'Kept'],
    ['Set `customer: V1` in Kept', 'Kept'],
    ['{set:customer:V1} Kept', 'Kept'],
    ['<!-- customer: V1 --> Kept', 'Kept'],
    ['Run `app --customer V1` in Kept', 'Kept'],
    ['- `--customer "V1 v1"`: Kept', 'Kept'],
    ['{"cmd": "run --customer V1", "n": "Kept"}', 'Kept'],
  ])('behind others and in brackets, which end its value: %j', (text, kept) => {
    expect(left(text)).not.toMatch(/v1/i);
    expect(left(text)).toContain(kept);
  });

  test.each([
    'We asked the customer: what is it?',
    'As the customer: it is fine.',
    'Use `--customer` of it.',
  ])('and no word of a sentence: %j', (text) => {
    expect(left(text)).toBe(text);
  });
});

describe('a name over lines', () => {
  test.each([
    'The salary\\\nband is V1.',
    'Her salary\\\nband: V1',
    '> > The salary\n> > band is V1.',
    'We pay V1<br>\nas salary band.',
    'The [salary](/x) band is V1.',
    'The salary <!-- x --> band is V1.',
    'The ｓａｌａｒｙ　ｂａｎｄ is V1.',
    'Salary\nband\n---\n\nV1',
    'Salary\\\nband\n----\n\nV1',
  ])('is one: %j', (said) => {
    const kept = left(`Kept.\n\n${said}\n\nKept too.\n`);
    expect(kept).not.toContain('V1');
    expect(kept).toMatch(/^Kept\.[\s\S]*Kept too\.\n$/);
  });
});

test.each([
  ['text/asciidoc', 'Customer::\n+\n----\nV1\n\nV2\n----\n\nOffice::\nKept\n'],
  [
    'text/x-tex',
    '\\begin{description}\n\\item[Customer] V1\n\nV2\n\\item[Office] Kept\n\\end{description}\n',
  ],
])('a term of %s goes with all of its paragraphs', (mediaType, text) => {
  expect(left(text, mediaType)).not.toMatch(/V\d/);
  expect(left(text, mediaType)).toContain('Kept');
});
