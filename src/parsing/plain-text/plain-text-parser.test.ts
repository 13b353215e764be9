import { expect, it } from 'vitest';
import { PLAIN_TEXT_PARSER } from './plain-text-parser.js';

const parse = (content: string) =>
  PLAIN_TEXT_PARSER.parse({
    externalId: 'a.txt',
    mediaType: 'text/plain',
    content,
    metadata: {},
    access: { groups: ['*'], level: 0 },
  });

it.each([
  ['\n', 'First\nline two', '# no heading'],
  ['\r\n', 'First\r\nline two', '# no heading'],
])('divides text at blank lines, whatever the line end %j', (lineEnd, ...paragraphs) => {
  const { text, blocks } = parse(
    `${lineEnd}${paragraphs.join(`${lineEnd}  ${lineEnd}${lineEnd}`)}${lineEnd}`,
  );
  expect(blocks.map(({ start, end }) => text.slice(start, end))).toEqual(paragraphs);
  expect(blocks.every(({ kind }) => kind === 'paragraph')).toBe(true);
});

it('finds nothing in white space', () => {
  expect(parse(' \n\n\t').blocks).toEqual([]);
});
