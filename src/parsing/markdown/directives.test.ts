import { expect, test } from 'vitest';
import { createMarkdownParser } from './markdown-parser.js';

const parse = (content: string, mediaType = 'text/markdown') =>
  createMarkdownParser().parse({
    externalId: 'a.md',
    mediaType,
    content,
    metadata: {},
    access: { groups: ['*'], level: 0 },
  });

test.each([
  // MyST
  [':::{warning}\nHot.\n:::', 'Warning:\nHot.\n'],
  [':::{note} Cold.\n:::', 'Note: Cold.\n'],
  [':::{admonition} Read this\n:class: tip\nCold.\n:::', 'Read this:\n\nCold.\n'],
  [':::{deprecated} 2.0\nGone.\n:::', 'Deprecated since version 2.0:\nGone.\n'],
  ['````{note}\n```py\nx\n```\n````', 'Note:\n```py\nx\n```\n'],
  ['::::{tab-set}\n:::{tab-item} Linux\napt\n:::\n::::', '\nLinux:\napt\n\n'],
  ['```{code-block} python\n:linenos:\nx = 1\n```', '\n```python\nx = 1\n```'],
  ['```{code-block} python\n:caption: Set it\nx = 1\n```', 'Set it:\n```python\nx = 1\n```'],
  ['```{code-block}\n---\nlineno-start: 3\n---\nx\n```', '\n\n\n```\nx\n```'],
  ['```{doctest}\n>>> 1\n```', '```\n>>> 1\n```'],
  [':::{code-block} sh\nls\n:::', '```sh\nls\n```'],
  ['```{toctree}\nconfig\n```', '\n\n'],
  ['```{image} a.png\n:alt: A cat\n```', 'A cat\n\n'],
  ['- :::{tip}\n  In a list.\n  :::', '- Tip:\n  In a list.\n'],
  ['(label)=\n# Title', '\n# Title'],
  ['\r\n:::{tip}\r\nUse it.\r\n:::\r\nBehind.\r\n', '\r\nTip:\r\nUse it.\r\n\r\nBehind.\r\n'],
  // Docusaurus, VuePress, Pandoc and Quarto
  [':::tip\nUse it.\n:::', 'Tip:\nUse it.\n'],
  [':::note[My title]{#id}\nText.\n:::', 'My title:\nText.\n'],
  ['::: danger STOP!\nText.\n:::', 'STOP!\nText.\n'],
  ['::: details More\nText.\n:::', 'More:\nText.\n'],
  ['::: {.callout-note title="Read"}\nText.\n:::', 'Read:\nText.\n'],
  ['::: {.column width="50%"}\nText.\n:::', '\nText.\n'],
  ['::: Warning ::::::\nText.\n::::::', 'Warning:\nText.\n'],
])('%j', (content, expected) => {
  expect(parse(content).text).toBe(expected);
});

test.each([
  '```{r}\nx\n```',
  '```{python}\n:::note\n```',
  '```js\n:::{note}\n:::\n```',
  ':::note\nnever closed',
  ':::\nno name\n:::',
  'In code: `:::{note}` and `` {doc}`a` ``, an escaped \\{name}`text`',
  'f(x)=\n(a) = b',
])('stays: %j', (content) => {
  expect(parse(content).text).toBe(content);
});

test.each([
  ['{class}`~a.B` and {func}`c()`', '`a.B` and `c()`'],
  ['{ref}`this section <label>`, {term}`event`', 'this section, event'],
  ['{doc}`usage`, **{doc}`the guide </guide/start>`**', '[usage](usage), **[the guide](/guide/start)**'],
  ['{doc}`python:library/os`', 'python:library/os'],
  ['{rfc}`9110`', 'RFC 9110'],
])('role: %s', (content, expected) => {
  expect(parse(content).text).toBe(expected);
});

test('an admonition is one block where it holds nothing but prose', () => {
  const kinds = (body: string) =>
    parse(`Above.\n\n:::{note}\n${body}\n:::\n\nBelow.`).blocks.map(({ kind }) => kind);
  expect(kinds('One.\n\nTwo.\n\n- three')).toEqual(['paragraph', 'quote', 'paragraph']);
  expect(kinds('- one\n- two\n:::\n\n- three\n\n:::{tip}\nOne.')).not.toContain('quote');
  expect(kinds('One.')).toEqual(['paragraph', 'paragraph', 'paragraph']);
  expect(kinds('One.\n\n```\ncode\n```')).toEqual(['paragraph', 'paragraph', 'code', 'paragraph']);
  expect(kinds('\n:::{tip}\nOne.\n\nTwo.\n:::\n\n## Title')).toEqual([
    ...['paragraph', 'paragraph', 'quote', 'heading', 'paragraph'],
  ]);
});

test('what is included or a picture is counted and named', () => {
  const { text, unread, warnings } = parse(
    '```{include} ../README.md\n```\n\n```{figure} a.png\nA caption.\n```',
  );
  expect(text.trim()).toBe('A caption.');
  expect(unread).toEqual({ pictures: 1, 'included files': 1 });
  expect(warnings).toEqual([expect.stringContaining('"../README.md"')]);
});

test('what other formats are converted to has no directives', () => {
  const content = ':::note\n{doc}`a`\n:::';
  expect(parse(content, 'text/html').text).toBe(content);
});

test.each([':::{note}\n', ':::{note}\n\n', '```{note}\n', ':::{note}\n:a: b\n', '{a}`', '- :::a\n'])(
  '100,000 times %j take no time worth speaking of',
  (unit) => {
    const since = performance.now();
    parse(unit.repeat(100_000));
    parse(`${unit.repeat(50_000)}${':::\n\n'.repeat(50_000)}`);
    expect(performance.now() - since).toBeLessThan(8_000);
  },
);
