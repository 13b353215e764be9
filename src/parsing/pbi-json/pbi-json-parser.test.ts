import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ParsedDocument } from '../../core/document.js';
import { PBI_MEDIA_TYPE } from '../../core/document.js';
import { PBI_JSON_PARSER } from './pbi-json-parser.js';

const parseJson = (content: string): ParsedDocument =>
  PBI_JSON_PARSER.parse({
    externalId: 'out.json#PBI-1',
    mediaType: PBI_MEDIA_TYPE,
    content,
    metadata: {},
    access: { groups: ['*'], level: 0 },
  });

const ITEM = {
  status: 'open',
  acceptance_criteria: ['Given a card\nwhen it fails', 'Then <b>retry</b>'],
  id: 'PBI-1',
  title: 'Retry payments',
  description: 'First line.\n\n**Second** paragraph.',
  points: 5,
  empty: '',
  nothing: null,
  estimate: { low: 1, by: ['Ann', 'Bo'] },
  questions: [{ text: 'Why?', open: true }],
};

describe('a backlog item', () => {
  it('reads like a document, important fields first, markup kept', () => {
    expect(parseJson(JSON.stringify(ITEM)).text).toBe(
      [
        'Retry payments',
        'id: PBI-1',
        'description:\nFirst line.\n\n**Second** paragraph.',
        'acceptance_criteria:\n- Given a card\nwhen it fails\n- Then <b>retry</b>',
        'status: open',
        'points: 5',
        'estimate:\nlow: 1\nby:\n  - Ann\n  - Bo',
        'questions:\n- text: Why?\n  open: true',
      ].join('\n\n'),
    );
  });

  it('has a block for each field, with its label as what must be repeated', () => {
    const { text, blocks, title, metadata } = parseJson(JSON.stringify(ITEM));
    expect(title).toBe('Retry payments');
    expect(metadata).toEqual({});
    expect(blocks.map(({ label }) => label)).toEqual([
      'title',
      'id',
      'description',
      'acceptance_criteria',
      'status',
      'points',
      'estimate',
      'questions',
    ]);
    const description = blocks[2];
    expect(description).toMatchObject({ kind: 'field', context: 'description:' });
    expect(text.slice(description?.bodyStart, description?.end)).toBe(ITEM.description);
    expect(blocks[4]).not.toHaveProperty('context');
  });

  it('keeps every string and number of any object, in blocks that leave only white space between', () => {
    const object = fc.dictionary(fc.stringMatching(/^[a-z_]{1,8}$/), fc.jsonValue({ maxDepth: 4 }), {
      maxKeys: 6,
    });
    fc.assert(
      fc.property(object, (item) => {
        const { text, blocks } = parseJson(JSON.stringify(item));
        let covered = 0;
        for (const { start, end } of blocks) {
          expect(text.slice(covered, start).trim()).toBe('');
          covered = end;
        }
        expect(text.slice(covered)).toBe('');
        const spaceless = text.replace(/\s/g, '');
        for (const leaf of leaves(item)) expect(spaceless).toContain(leaf.replace(/\s/g, ''));
      }),
    );
  });

  it('says what it leaves out', () => {
    const deep = `{"a":${'['.repeat(5_000)}1${']'.repeat(5_000)},"b":"kept"}`;
    const { text, warnings } = parseJson(deep);
    expect(text).toBe('b: kept');
    expect(warnings).toEqual([expect.stringContaining('32 levels')]);
    expect(parseJson('{"a":"\\ud800"}').warnings).toEqual([expect.stringContaining('surrogate')]);
  });

  it.each([
    ['{"title": "cut', 'not valid JSON'],
    ['[]', 'not a backlog item'],
    ['"text"', 'not a backlog item'],
    ['null', 'not a backlog item'],
  ])('refuses %s', (content, message) => {
    expect(() => parseJson(content)).toThrow(
      expect.objectContaining({ reason: 'DOCUMENT_INVALID', message: expect.stringContaining(message) }),
    );
  });

  it('reads a NUL character that JSON escapes hide as a space', () => {
    const { text, warnings } = parseJson('{"a":"x\\u0000y"}');
    expect(text).toContain('x y');
    expect(warnings).toEqual([expect.stringContaining('NUL')]);
  });
});

/** Strings and numbers as they must appear; lone surrogates are replaced. */
function leaves(value: unknown): string[] {
  if (typeof value === 'string') return [value.replace(/\p{Surrogate}/gu, '\uFFFD')];
  if (typeof value === 'number') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(leaves);
}
