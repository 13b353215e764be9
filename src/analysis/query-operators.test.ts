import { describe, expect, it } from 'vitest';
import {
  excludes,
  holdsBeginning,
  holdsOption,
  holdsPhrase,
  phraseText,
  readOperators,
} from './query-operators.js';

const read = (query: string) => {
  const { phrases = [], excluded = [], beginnings = [], text, isStrict } = readOperators(query) ?? {};
  return { phrases, excluded: excluded.map(({ words }) => words), beginnings, text, isStrict };
};

describe('readOperators', () => {
  it.each([
    ['"green valve"', ['green valve'], [], [], 'green valve', true],
    ['where is the "green valve"?', ['green valve'], [], [], 'where is the green valve?', false],
    [
      '“green valve” „rote Lampe“ «la porte»',
      ['green valve', 'rote Lampe', 'la porte'],
      [],
      [],
      'green valve rote Lampe la porte',
      true,
    ],
    ['jaguar -car', [], ['car'], [], 'jaguar', false],
    ['jaguar -car -"fast boat"', [], ['car', 'fast boat'], [], 'jaguar', false],
    ['-car jaguar', [], ['car'], [], 'jaguar', false],
    ['XK-44*', [], [], ['XK-44'], 'XK-44', true],
    ['valv* of the "west hall"', ['west hall'], [], ['valv'], 'valv of the west hall', false],
    ['getUser* -test', [], ['test'], ['getUser'], 'getUser', true],
    ['"阀门 绿色"', ['阀门 绿色'], [], [], '阀门 绿色', true],
  ])('%s', (query, phrases, excluded, beginnings, text, isStrict) => {
    expect(read(query)).toEqual({ phrases, excluded, beginnings, text, isStrict });
  });

  it.each([
    'green valve',
    'ls -l -a',
    'git log --oneline',
    'state-of-the-art',
    'from 5 -7 degrees',
    '-car',
    'Privatpersonen und -organisationen',
    'mvn test -DskipShade',
    'SELECT * FROM t',
    'src/*.ts',
    '**bold** words',
    '5" of rain and 6" of snow',
    'print("a b")',
    'a - b',
    '""',
    'say "yes"\nor -no',
    `"long ${'word '.repeat(200)}"`,
  ])('finds none in: %s', (query) => {
    expect(readOperators(query)).toBeUndefined();
  });
});

describe('what a text holds', () => {
  const text = phraseText('The Green  Valve: XK-441 (von Müller), 绿色阀门在这里.');

  it.each(['green valve', 'GREEN-VALVE', 'xk 441', 'von muller', '色阀'])('the phrase %s', (phrase) => {
    expect(holdsPhrase(text, phrase)).toBe(true);
  });

  it.each(['green valves', 'valve green', 'reen valve', '', '阀色'])('not the phrase %j', (phrase) => {
    expect(holdsPhrase(text, phrase)).toBe(false);
  });

  it.each([
    ['XK-44', true],
    ['gre', true],
    ['mül', true],
    ['alve', false],
  ])('a word that begins with %s: %s', (beginning, isHeld) => {
    expect(holdsBeginning(text, beginning)).toBe(isHeld);
  });

  it.each([
    ['car', 'two cars', true],
    ['car', 'a carpet', false],
    ['the', 'all of the day', true],
    ['fast boat', 'a fast boat', true],
    ['fast boat', 'boats that are fast', false],
  ])('what -"%s" leaves out: %s', (excluded, held, isLeftOut) => {
    expect(excludes(excluded)(held)).toBe(isLeftOut);
  });

  it.each([
    ['use `-xzf` here', true],
    ['tar -xzf a.tar', true],
    ['the xzf option', false],
    ['a re-xzf', false],
    ['--xzf', false],
    ['-xzfv', false],
  ])('an option in %s: %s', (held, isOption) => {
    expect(holdsOption(held, 'xzf')).toBe(isOption);
  });
});
