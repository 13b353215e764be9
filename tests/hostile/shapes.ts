/** Texts of a length that are hard for readers of any kind, by what they are. */
export const SHAPES: Readonly<Record<string, (length: number) => string>> = {};
const shapes = SHAPES as Record<string, (length: number) => string>;
const repeated = (unit: string) => (length: number) =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

/** Each sign of ASCII as one run, with blanks, on lines, and behind a letter. */
for (const sign of '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~')
  for (const unit of [sign, `${sign} `, `${sign}\n`, `a${sign}`, `${sign}a `])
    shapes[`${JSON.stringify(unit)} again and again`] = repeated(unit);
for (const unit of [
  'a',
  ' ',
  '\n',
  '\t',
  '\r\n',
  'a ',
  'a\n',
  'a\n\n',
  '0',
  '0 ',
  'A.b ',
  ' \n',
  '\u00A0',
  '漢',
  '𝒜',
])
  shapes[`${JSON.stringify(unit)} again and again`] = repeated(unit);
for (const [open, close] of ['()', '[]', '{}', '<>', '""', "''"].map(
  (pair) => [...pair] as [string, string],
)) {
  shapes[`${open}${close} in each other`] = (length) =>
    `${open.repeat(length / 2)}a${close.repeat(length / 2)}`;
  shapes[`${open}${close} beside each other`] = repeated(`${open}a${close}`);
  shapes[`lines of open ${open}`] = repeated(`a ${open}b\n`);
}
for (const unit of [
  ...[
    'pay: ',
    'pay=',
    '"pay":',
    'pay | ',
    'pay\n',
    '- pay\n',
    '// pay: a\n',
    'pay is ',
    'pay is: ',
    '"@pay":1,',
    'pay?,',
    '- --pay\n',
    '.. pay::\n',
    '=== "pay"\n',
    'pay = `\n',
    '<th>pay<i>',
    '<b>pay</b><i>:</i>',
    'password=<a&',
    'pay of a ',
    '/* pay: a */ ',
    'f(pay_band ',
    'x = ["pay_band",\n',
    'class PayBand {\n "x"\n',
  ],
  ...[
    'name: pay ',
    '<pay>',
    '<a pay="',
    '<!-- pay ',
    '# pay: a\n',
    '"""pay',
    '(pay) values (',
    '[pay]: ',
    ':pay: ',
    'pay::\n',
  ],
  ...[
    '1 of 2 ',
    '3 a second ',
    'every 2 ',
    'one hundred and ',
    'two dozen ',
    '50% ',
    '$1 a ',
    'a b c per ',
    'not more than ',
  ],
  ...[
    '[1] ',
    '[1, ',
    '(source 1 ',
    '[^1]: ',
    '[1](',
    '²',
    'ABC-1 ',
    'a.b.c(',
    'https://a.example/',
    'a@b.c ',
    'at a.b(c:1)\n',
  ],
  ...[
    'DE89 3704 ',
    '4111 1111 ',
    '-----BEGIN ',
    'password: ',
    '&amp;',
    '&#x41;',
    '\\u0040',
    '%40',
    'eyJhbGciOi.',
    '=\n',
    '\u200B',
  ],
  ...[
    '<div>',
    '</div>',
    '<a href=',
    '<![CDATA[',
    '<?xml ',
    '{{',
    '{%',
    '${',
    '$(',
    '\\begin{a}',
    '\\a{',
    '|---|\n',
    '| a ',
    '```\n',
    '~~~\n',
  ],
  ...[
    '> ',
    '> > ',
    '- - ',
    '1. 1. ',
    '* * ',
    '# # ',
    '![',
    '**a',
    '__a',
    '***',
    '.. a::\n',
    '|===\n',
    '====\n',
    '+---+\n',
    ':a:\n',
    '* a\n** b\n',
  ],
])
  shapes[`${JSON.stringify(unit)} again and again`] = repeated(unit);
