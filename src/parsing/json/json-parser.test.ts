import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CodeUnit, ParsedDocument } from '../../core/document.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import { OPEN_ACCESS } from '../../core/scope.js';
import { JSON_PARSER } from './json-parser.js';

const parse = (content: string, mediaType: string = MEDIA_TYPES.json): ParsedDocument =>
  JSON_PARSER.parse({ externalId: 'a.json', mediaType, content, metadata: {}, access: OPEN_ACCESS });

const namesOf = (units: readonly CodeUnit[]): unknown[] =>
  units.map(({ symbol, children }) => (children.length === 0 ? symbol : [symbol, ...namesOf(children)]));

describe('JSON', () => {
  it('is the file itself, with members and elements as units', () => {
    const note = 'x'.repeat(90);
    const content = JSON.stringify({
      a: 1,
      'b"\\': [
        { id: 'P-1', note },
        { note, name: 'two, }' },
      ],
    });
    const { text, code } = parse(content);
    expect(text).toBe(content);
    expect(namesOf(code?.units ?? [])).toEqual([
      'a',
      ['b"\\', ['[0] P-1', 'id', 'note'], ['[1] two, }', 'note', 'name']],
    ]);
  });

  it('reads one value a line, and counts lines that are none', () => {
    const { code, warnings } = parse('{"a":1}\n\nno\n{"a":2}', MEDIA_TYPES.jsonLines);
    expect(namesOf(code?.units ?? [])).toEqual(['line 1', 'line 3', 'line 4']);
    expect(warnings).toEqual(['1 line is not valid JSON and was kept as text.']);
  });

  it.each(['{', '[1,]', 'nothing', '{"a":1}{"b":2}'])('%s is refused', (content) => {
    expect(() => parse(content)).toThrow(expect.objectContaining({ reason: 'DOCUMENT_INVALID' }));
    expect(() => parse(content.replace('{"a":1}{', '{'), MEDIA_TYPES.jsonLines)).toSatisfy(
      (read: () => ParsedDocument) => content.startsWith('{"a"') || throws(read),
    );
  });

  it('survives values nested without end', () => {
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    expect(parse(deep).text).toHaveLength(10_000);
  });

  it('for any value: units nest, come in order, and leave out white space only', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.constantFrom(0, 2), (json, indent) => {
        const { text, code } = parse(JSON.stringify(JSON.parse(json), null, indent));
        const units = code?.units ?? [];
        checkOrder(units, 0, text.length);
        expect(units[0]?.start).toBe(0);
        expect(units.at(-1)?.end).toBe(text.length);
      }),
      { numRuns: 300 },
    );
  });
});

function throws(read: () => unknown): boolean {
  try {
    read();
    return false;
  } catch {
    return true;
  }
}

function checkOrder(units: readonly CodeUnit[], start: number, end: number): void {
  let at = start;
  for (const unit of units) {
    expect(unit.start).toBeGreaterThanOrEqual(at);
    expect(unit.end).toBeGreaterThan(unit.start);
    expect(unit.end).toBeLessThanOrEqual(end);
    checkOrder(unit.children, unit.start, unit.end);
    at = unit.end;
  }
}
