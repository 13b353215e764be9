import assert from 'node:assert/strict';
import type { LedgerPart } from './contract.js';
import { AT, planned } from './records.js';

/** Indexed revisions that ledgers under test keep. */
export const KEEP_REVISIONS = 2;

/** Stored texts, to which citations refer. */
export const testTexts: LedgerPart = (test) => {
  test('texts come back exactly, by revision and as the current one', async ({ writer }) => {
    const texts = ['', 'a\0b', '\ufeff😀\r\n', 'half \udc00 pair', '\u0001\u0002', 'é'.repeat(5_000_000)];
    for (const [i, text] of texts.entries()) {
      const revision = `r${i}`;
      await writer.plan([planned('d', { revision, text })]);
      assert.equal(await writer.text('d'), text);
      assert.equal(await writer.text('d', revision), text);
      assert.equal(await writer.text('d', 'other'), undefined);
    }
    assert.equal(await writer.text('nobody'), undefined);
  });

  test('the newest indexed revisions are kept, whatever attempts failed between', async ({ writer }) => {
    const save = (revision: string) => writer.plan([planned('d', { revision, text: `text ${revision}` })]);
    for (const revision of ['r1', 'r2', 'r3']) {
      await save(revision);
      await writer.commit(['d'], AT);
    }
    for (const revision of ['crashed-1', 'crashed-2', 'crashed-3']) await save(revision);
    assert.equal(await writer.text('d', 'r2'), 'text r2');
    await save('r4');
    await writer.commit(['d'], AT);
    assert.deepEqual(await kept(['r1', 'r2', 'r3', 'r4', 'crashed-1', 'crashed-3']), ['r3', 'r4']);

    async function kept(revisions: readonly string[]): Promise<string[]> {
      const texts = await Promise.all(revisions.map((revision) => writer.text('d', revision)));
      return revisions.filter((_, i) => texts[i] !== undefined);
    }
  });

  test('a revision that came back counts as new', async ({ writer }) => {
    for (const revision of ['r1', 'r2', 'r1', 'r3']) {
      await writer.plan([planned('d', { revision, text: revision })]);
      await writer.commit(['d'], AT);
    }
    const texts = await Promise.all(['r1', 'r2', 'r3'].map((revision) => writer.text('d', revision)));
    assert.deepEqual(texts, ['r1', undefined, 'r3']);
  });

  test('a commit touches the revisions of its own documents alone', async ({ writer }) => {
    for (const id of ['d', 'e']) await writer.plan([planned(id, { revision: 'r1', text: id })]);
    for (const revision of ['r1', 'r2', 'r3']) {
      await writer.plan([planned('d', { revision, text: revision })]);
      await writer.commit(['d'], AT);
    }
    assert.equal(await writer.text('e', 'r1'), 'e');
  });
};
