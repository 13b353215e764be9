// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of a configuration, not of a template.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ExpansionSyntaxError, expandVariables } from './expand-variables.js';

const expand = (text: string, environment: Record<string, string> = {}): string =>
  expandVariables(text, environment).text;

const name = fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,8}$/);
const plain = fc.string().map((text) => text.replaceAll(/[$}]/g, ''));

describe('expandVariables', () => {
  test.each([
    ['${A}', { A: 'x' }, 'x'],
    ['pre-${A}-post', { A: 'x' }, 'pre-x-post'],
    ['${A}${B}', { A: '1', B: '2' }, '12'],
    ['${A:-fallback}', {}, 'fallback'],
    ['${A:-fallback}', { A: '' }, 'fallback'],
    ['${A:-fallback}', { A: 'set' }, 'set'],
    ['${A:-}', {}, ''],
    ['${A:-${B:-deep}}', {}, 'deep'],
    ['${A:-${B:-deep}}', { B: 'b' }, 'b'],
    ['${A:-a$$b}', {}, 'a$b'],
    ['$$', {}, '$'],
    ['$${A}', { A: 'x' }, '${A}'],
    ['$A costs 5$', { A: 'x' }, '$A costs 5$'],
    ['${A}', { A: '' }, ''],
  ])('%s with %j is %s', (text, environment, expected) => {
    expect(expand(text, environment)).toBe(expected);
  });

  test('names variables that are missing, with the message of the configuration', () => {
    expect(expandVariables('${A} ${B:?ask the admin}', {}).missing).toEqual([
      { variable: 'A' },
      { variable: 'B', message: 'ask the admin' },
    ]);
    expect(expandVariables('${B:?ask the admin}', { B: '' }).missing).toHaveLength(1);
  });

  test('does not ask for variables of a default that is not needed', () => {
    expect(expandVariables('${A:-${B}}', { A: 'x' }).missing).toEqual([]);
    expect(expandVariables('${A:-${B}}', {}).missing).toEqual([{ variable: 'B' }]);
  });

  test('says which variables were used and which defaults were taken', () => {
    const { used, defaulted } = expandVariables('${A:-1}${B:-2}', { A: 'x' });
    expect({ used, defaulted }).toEqual({ used: ['A'], defaulted: ['B'] });
  });

  test.each(['${', '${A', '${A:-x', '${}', '${1A}', '${A-x}', '${A:x}', '${A B}'])('refuses %s', (text) => {
    expect(() => expand(text, { A: 'x' })).toThrow(ExpansionSyntaxError);
  });

  test('any value goes in as it is, whatever it holds', () => {
    fc.assert(
      fc.property(name, fc.string(), plain, (variable, value, around) => {
        expect(expand(`${around}\${${variable}}${around}`, { [variable]: value })).toBe(
          around + value + around,
        );
      }),
    );
  });

  test('text without a dollar sign is left alone', () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !text.includes('$')),
        (text) => {
          expect(expandVariables(text, {})).toEqual({ text, used: [], defaulted: [], missing: [] });
        },
      ),
    );
  });

  test('doubling dollar signs protects any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('$', '{', '}', 'A', ':', '-', '?') }), (text) => {
        expect(expand(text.replaceAll('$', '$$$$'), { A: 'x' })).toBe(text);
      }),
    );
  });

  test('any text expands or is refused as syntax', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('$', '{', '}', 'A', 'b', ':', '-', '?', ' ') }),
        (text) => {
          try {
            expect(typeof expand(text, { A: 'x' })).toBe('string');
          } catch (error) {
            expect(error).toBeInstanceOf(ExpansionSyntaxError);
          }
        },
      ),
    );
  });
});
