/** One line of a `.gitignore`. */
export interface IgnorePattern {
  /** It takes back what earlier lines leave out. */
  readonly isNegated: boolean;
  /** Whether it names an entry, by its path from the folder of the file, with `/`. What lies inside of a named folder is not asked. */
  matches(path: string, isFolder: boolean): boolean;
}

/** The lines of a `.gitignore`, as gitignore(5) and Git's `wildmatch.c` have them; those that can match nothing are left out. */
export const ignorePatterns = (text: string): IgnorePattern[] =>
  text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .flatMap((line) => patternOf(line.replace(/\r$/, '')) ?? []);

function patternOf(line: string): IgnorePattern | undefined {
  if (line.startsWith('#')) return undefined;
  const whole = withoutTrailingBlanks(line);
  const isNegated = whole.startsWith('!');
  const stated = isNegated ? whole.slice(1) : whole;
  const isOfFolders = stated.endsWith('/');
  const pattern = isOfFolders ? stated.slice(0, -1) : stated;
  if (pattern === '') return undefined;
  // Without a slash in it, it is of a name at any depth.
  const isOfPath = pattern.includes('/');
  const expression = expressionOf(pattern.replace(/^\//, ''));
  if (expression === undefined) return undefined;
  return {
    isNegated,
    matches: (path, isFolder) =>
      (isFolder || !isOfFolders) &&
      expression.test(bytesOf(isOfPath ? path : path.slice(path.lastIndexOf('/') + 1))),
  };
}

/** A character for each byte of UTF-8, for that is what `?` and classes stand for. */
const bytesOf = (text: string): string =>
  /^[\0-\x7f]*$/.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');

/** A blank behind a backslash is a part of the pattern. */
function withoutTrailingBlanks(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ' && !isEscaped(line, end - 1)) end -= 1;
  return line.slice(0, end);
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}

/** Undefined for a pattern that is never closed, which matches nothing. */
function expressionOf(pattern: string): RegExp | undefined {
  const characters = [...bytesOf(pattern)];
  let source = '';
  for (let at = 0; at < characters.length; ) {
    const character = characters[at] ?? '';
    if (character === '*') {
      let end = at;
      while (characters[end] === '*') end += 1;
      const isAlone =
        (at === 0 || characters[at - 1] === '/') && (end === characters.length || characters[end] === '/');
      const isOfFolders = end - at === 2 && isAlone;
      if (isOfFolders && end === characters.length) source += at === 0 ? '.*' : '.+';
      else if (isOfFolders) source += '(?:[^/]+/)*';
      else source += '[^/]*';
      // The slash behind two stars is part of the folders that they stand for.
      at = isOfFolders && end < characters.length ? end + 1 : end;
    } else if (character === '?') {
      source += '[^/]';
      at += 1;
    } else if (character === '[') {
      const found = classOf(characters, at);
      if (found === undefined) return undefined;
      source += found.source;
      at = found.end;
    } else if (character === '\\') {
      const literal = characters[at + 1];
      if (literal === undefined) return undefined;
      source += escaped(literal);
      at += 2;
    } else {
      source += escaped(character);
      at += 1;
    }
  }
  return new RegExp(`^${source}$`, 's');
}

const NAMED_CLASSES: Readonly<Record<string, string>> = {
  alnum: 'A-Za-z0-9',
  alpha: 'A-Za-z',
  blank: ' \\t',
  digit: '0-9',
  lower: 'a-z',
  punct: '!-\\/:-@\\[-`\\{-~',
  space: '\\s',
  upper: 'A-Z',
  xdigit: 'A-Fa-f0-9',
};

function classOf(
  characters: readonly string[],
  start: number,
): { readonly source: string; readonly end: number } | undefined {
  let at = start + 1;
  const isNegated = characters[at] === '!' || characters[at] === '^';
  if (isNegated) at += 1;
  let inside = '';
  for (let isFirst = true; isFirst || characters[at] !== ']'; isFirst = false) {
    const named = /^\[:([a-z]+):\]/.exec(characters.slice(at, at + 12).join(''));
    const known = named?.[1] === undefined ? undefined : NAMED_CLASSES[named[1]];
    if (named !== null && known === undefined) return undefined;
    if (named !== null && known !== undefined) {
      inside += known;
      at += named[0].length;
      continue;
    }
    const from = memberAt(characters, at);
    if (from === undefined) return undefined;
    at = from.end;
    const isRange = characters[at] === '-' && characters[at + 1] !== ']' && characters[at + 1] !== undefined;
    const to = isRange ? memberAt(characters, at + 1) : from;
    if (to === undefined) return undefined;
    if (isRange) at = to.end;
    // A range that ends before it begins holds nothing.
    if ((from.character.codePointAt(0) ?? 0) <= (to.character.codePointAt(0) ?? 0))
      inside += isRange ? `${inClass(from.character)}-${inClass(to.character)}` : inClass(from.character);
  }
  const source = inside === '' ? (isNegated ? '[^/]' : '(?!)') : `(?!/)[${isNegated ? '^' : ''}${inside}]`;
  return { source, end: at + 1 };
}

function memberAt(
  characters: readonly string[],
  at: number,
): { readonly character: string; readonly end: number } | undefined {
  const isBackslash = characters[at] === '\\';
  const character = characters[isBackslash ? at + 1 : at];
  return character === undefined ? undefined : { character, end: at + (isBackslash ? 2 : 1) };
}

const inClass = (character: string): string => character.replace(/[\\\]^[-]/, '\\$&');

const escaped = (character: string): string => character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&');
