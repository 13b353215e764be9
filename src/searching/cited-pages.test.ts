import { expect, test } from 'vitest';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import { makePdf } from '../../tests/fixtures/documents/make-pdf.js';
import { createEngine } from '../engine/create-engine.js';

const filler = (name: string): string =>
  `The ${name} office keeps its ledger for a season.\n`.repeat(8).trim();
const PAGES = [
  ['Mooring tariff', 'A berth of class A costs 110 euro in summer.', filler('north')],
  [],
  [filler('west'), 'Discounts', 'Members of the rescue crew pay half.', filler('east')],
  [filler('south'), 'Refunds', 'A refund is paid within twenty days when a berth is closed by storm.'],
];

test('what is quoted of a PDF says its page, though one chunk holds several', async () => {
  const cwd = temporaryFolder({ 'docs/tariff.pdf': makePdf(PAGES) });
  const engine = await createEngine({ config: { provider: 'libsql', chunking: { strategy: 'whole' } }, cwd });
  try {
    await engine.index({ paths: ['docs'] });
    const [found] = (await engine.search('refund')).results;
    expect(found?.metadata.pages).toMatchObject({ start: 1, end: 4 });
    for (const [question, words, page] of [
      ['How soon is a refund paid?', 'is paid within twenty days', 4],
      ['How much do members of the rescue crew pay?', 'crew pay half', 3],
      ['What does a berth of class A cost in summer?', '110 euro', 1],
    ] as const) {
      const { citations, further, sources } = await engine.ask(question);
      const place = [...citations, ...further].find(({ quote }) => quote.includes(words));
      expect(place?.pages).toEqual({ start: page, end: page });
      expect(sources[0]?.pages).toEqual({ start: 1, end: 4 });
    }
    expect((await engine.context('refund')).text).toContain('(tariff.pdf, pages 1-4, ');
  } finally {
    await engine.close();
  }
});
