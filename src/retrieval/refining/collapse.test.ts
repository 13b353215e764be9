import { describe, expect, it } from 'vitest';
import type { StoredChunk } from '../../core/chunk.js';
import { OPEN_ACCESS } from '../../core/scope.js';
import { collapse } from './collapse.js';

function passage(
  id: string,
  documentId: string,
  metadata: StoredChunk['metadata'] = {},
): { chunk: StoredChunk } {
  return {
    chunk: {
      id,
      documentId,
      content: id,
      tenant: 't',
      source: 's',
      access: OPEN_ACCESS,
      identifiers: [],
      metadata,
    },
  };
}

const shown = (found: { chunk: StoredChunk }[], mode: 'document' | 'items' | 'none') =>
  collapse(found, mode).kept.map(({ chunk: { id }, ...rest }) => [
    id,
    'more' in rest ? rest.more : undefined,
  ]);

describe('one result a document', () => {
  const prose = [passage('a1', 'a'), passage('b1', 'b'), passage('a2', 'a'), passage('a3', 'a')];

  it('is the best passage, in its place, with the others counted', () => {
    expect(shown(prose, 'document')).toEqual([
      ['a1', { passages: 2, copies: 0 }],
      ['b1', undefined],
    ]);
  });

  it('is made of backlog items and tickets alone by default, and of nothing where that is asked for', () => {
    expect(shown(prose, 'items')).toHaveLength(4);
    expect(shown(prose, 'none')).toHaveLength(4);
    for (const metadata of [{ pbi_id: 'P-1' }, { workItemId: 7 }, { sourceType: 'Ticket' }])
      expect(shown([passage('a1', 'a', metadata), passage('a2', 'a', metadata)], 'items')).toHaveLength(1);
  });

  it('takes in copies of a backlog item in other files, and names them as left out', () => {
    const item = { pbi_id: 'P-1', title: 'Retry uploads' };
    const found = [
      passage('step2', 'run/step2.json', item),
      passage('other', 'run2/step1.json', { ...item, title: 'Another item with that id' }),
      passage('step3', 'run/step3.json', { ...item, title: 'retry uploads ' }),
    ];
    expect(shown(found, 'items')).toEqual([
      ['step2', { passages: 1, copies: 1 }],
      ['other', undefined],
    ]);
    expect(collapse(found, 'items').removed).toEqual([{ id: 'step3', step: 'collapse', detail: 'of step2' }]);
    expect(collapse(prose, 'document').removed).toEqual([]);
  });
});
