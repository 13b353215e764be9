import { expect, test } from 'vitest';
import { countPictures } from './count-pictures.js';

const picture = (more = ''): string => `5 0 obj << /Type /XObject /Subtype /Image /Width 1 ${more}>> stream`;

test.each([
  ['none', 'BT (Image) Tj ET', 0],
  ['one', picture(), 1],
  ['one that is written without blanks', '<</Type/XObject/Subtype/Image/Width 1>>', 1],
  ['several', picture().repeat(3), 3],
  ['one with a mask', picture('/SMask 7 0 R ') + picture(), 1],
  ['two that share a mask', picture('/SMask 7 0 R ').repeat(2) + picture(), 2],
  ['a mask that is none', `${picture()} /SMask /None`, 1],
  ['an annotation of text', '<< /Subtype /Text >>', 0],
])('pictures of a PDF are counted: %s', (_, content, count) => {
  expect(countPictures(Buffer.from(content, 'latin1'))).toBe(count);
});
