import { describe, expect, it } from 'vitest';
import { holdsBeginning, holdsPhrase, phraseWords } from './phrase-words.js';
import { excludes, holdsOption, readOperators } from './query-operators.js';

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
    ['-car', [], ['car'], [], '', false],
    ['-C++ guide', [], ['C++'], [], 'guide', false],
    ['guide -C#, please', [], ['C#'], [], 'guide , please', false],
    ['pump -KX-200 -OLD -ObjectPool', [], ['KX-200', 'OLD', 'ObjectPool'], [], 'pump', false],
    ['guide -.NET -F#', [], ['.NET', 'F#'], [], 'guide', false],
    ['timeout -4.1.0 -v2.1', [], ['4.1.0', 'v2.1'], [], 'timeout', false],
    ['timeout -4.3.0-rc.1?', [], ['4.3.0-rc.1'], [], 'timeout ?', false],
    ['runtime -Node.js', [], ['Node.js'], [], 'runtime', false],
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
    'pump -4.5',
    'from 01.07.2026 -06.07.2026',
    'since 2026-07-06',
    'Privatpersonen und -organisationen',
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

describe('phrases with signs and folded letters', () => {
  it.each([
    ['C#', 'C# is a language', true],
    ['C#', 'the language C, and C++', false],
    ['c++', 'written in `C++`.', true],
    ['C++', 'C and C#', false],
    ['C', 'C++ and C#', false],
    ['C', 'the C library', true],
    ['.NET', 'on .NET 8', true],
    ['.NET', 'the net of a tennis court', false],
    ['NET 8', 'on .NET 8', true],
    ['--verbose', 'use --verbose here', true],
    ['--verbose', 'a verbose text', false],
    ['verbose', 'use --verbose here', true],
    ['C# guide', 'the C# guide', true],
    ['C# guide', 'the C guide', false],
    ['notepad++', 'Notepad++ is an editor', true],
    ['18+', 'age 18 and more', false],
    ['die groesse der pruefraeume', 'Die Größe der Prüfräume', true],
    ['die größe der prüfräume', 'Die Groesse der Pruefraeume', true],
    ['die grosse der prufraume', 'Die Größe der Prüfräume', true],
    ['die größe der pruefraeume', 'Die Größe der Prüfräume'.normalize('NFD'), true],
    ['neu', 'neue Räume', false],
    ['ادارة المخاطر', 'وإدارة المخاطر', true],
    ['всё готово', 'все готово', true],
  ])('%s in: %s (%s)', (phrase, text, isHeld) => {
    expect(holdsPhrase(phraseWords(text), phrase)).toBe(isHeld);
  });

  it.each([
    ['groesse', 'Größenangaben', true],
    ['größ', 'Groesse', true],
    ['grosse', 'Größe', true],
    ['verb', '--verbose', true],
    ['إدار', 'والإدارة', true],
  ])('a word that begins with %s in: %s (%s)', (beginning, text, isHeld) => {
    expect(holdsBeginning(phraseWords(text), beginning)).toBe(isHeld);
  });

  it.each([
    ['C++', 'the C library', false],
    ['C++', 'the C++ library', true],
    ['.NET', 'a fishing net', false],
    ['4.1.0', 'Released as v4.1.0.', true],
    ['4.1.0', 'Released as 14.1.0, then 4.1.02', false],
  ])('what -%s leaves out: %s (%s)', (excluded, text, isLeftOut) => {
    expect(excludes(excluded)(text)).toBe(isLeftOut);
  });
});

describe('what a text holds', () => {
  const text = phraseWords('The Green  Valve: XK-441 (von Müller), 绿色阀门在这里.');

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
