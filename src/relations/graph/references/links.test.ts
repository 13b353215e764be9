import { expect, test } from 'vitest';
import { linksOf } from './links.js';

const PLACE = { source: 'docs', path: 'guide/start.adoc' };
const targets = (text: string) => linksOf(text, PLACE).map(({ target }) => target);

test('links of AsciiDoc need a bracket after their target', () => {
  const text = 'See link:a.adoc[one], xref:b.adoc[two], link:c.adoc and xref:d.adoc text[3].';
  expect(targets(text)).toEqual(['a.adoc', 'b.adoc'].map((name) => `path:["docs","guide/${name}"]`));
  expect(targets(`link:${'x'.repeat(1_001)}[long]`)).toEqual([]);
});

// Each took 7 s to 15 s where every place of a word was looked at from.
test.each(['link:', 'xref:'])('4 MB of %s take no time worth speaking of', (unit) => {
  const since = performance.now();
  expect(targets(unit.repeat(800_000))).toEqual([]);
  expect(performance.now() - since).toBeLessThan(5_000);
});

test('a page without extension is named as it is, a version behind a dot too', () => {
  expect(targets('[a](../releases/1.11)')).toContain('page:["docs","releases/1.11"]');
  expect(targets('[a](/usage)')).toContain('page:["docs","usage"]');
  expect(targets('[a](a.md)')).toEqual(['path:["docs","guide/a.md"]']);
});
