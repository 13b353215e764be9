/** Why and where a text is not JSON as RFC 8259 has it. */
export interface JsonError {
  /** Offset in UTF-16 code units; the length of the text where it ends too early. */
  readonly offset: number;
  /** `truncated`: every character so far is fine, and more are missing. */
  readonly problem: 'truncated' | 'unexpected';
}

const WHITE_SPACE = /[ \t\n\r]*/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
// What a scalar looks like when the text ends inside it.
const SCALAR_START = /(?:-|-?(?:0|[1-9]\d*)(?:\.|(?:\.\d+)?[eE][+-]?)|t|tr|tru|f|fa|fal|fals|n|nu|nul)$/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: RFC 8259 forbids exactly these inside strings
const PLAIN_CHARACTERS = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y;
const ESCAPE_START = /\\(?:u[\dA-Fa-f]{0,3})?$/y;

/**
 * Finds the first error of a text that `JSON.parse` refused. The engine's own message is not used: it quotes the
 * document, and not every version of it gives a position.
 */
export function findJsonError(text: string): JsonError | undefined {
  return new JsonScanner(text).scan();
}

/** 1-based line and column (in UTF-16 code units) of an offset. */
export function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: offset - lineStart + 1 };
}

/** Whether brackets outside of strings nest deeper than `limit`. Linear, for any text; run before a recursive reader. */
export function nestsDeeperThan(text: string, limit: number): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === '"') i = endOfString(text, i);
    else if (character === '{' || character === '[') {
      if (++depth > limit) return true;
    } else if (character === '}' || character === ']') depth--;
  }
  return false;
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, quote: number): boolean {
  let backslashes = 0;
  while (text[quote - 1 - backslashes] === '\\') backslashes++;
  return backslashes % 2 === 1;
}

/** What the grammar allows next. */
type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or end' | 'end';

class JsonScanner {
  readonly #text: string;
  readonly #open: ('{' | '[')[] = [];
  #offset = 0;
  #expected: Expected = 'value';

  constructor(text: string) {
    this.#text = text;
  }

  scan(): JsonError | undefined {
    for (;;) {
      this.#take(WHITE_SPACE);
      if (this.#offset >= this.#text.length)
        return this.#expected === 'end' ? undefined : { offset: this.#text.length, problem: 'truncated' };
      const problem = this.#step(this.#text.charAt(this.#offset));
      if (problem !== undefined) return { offset: this.#offset, problem };
    }
  }

  /** Takes one token; leaves the offset at the fault where there is one. */
  #step(next: string): JsonError['problem'] | undefined {
    switch (this.#expected) {
      case 'value':
        return this.#value(next);
      case 'value or ]':
        return next === ']' ? this.#close() : this.#value(next);
      case 'key or }':
        return next === '}' ? this.#close() : this.#key(next);
      case 'key':
        return this.#key(next);
      case ':':
        return next === ':' ? this.#advance('value') : 'unexpected';
      case ', or end':
        return this.#separator(next);
      case 'end':
        return 'unexpected';
    }
  }

  #value(next: string): JsonError['problem'] | undefined {
    if (next === '{' || next === '[') {
      this.#open.push(next);
      return this.#advance(next === '{' ? 'key or }' : 'value or ]');
    }
    if (next === '"') return this.#string() ?? this.#valueDone();
    if (this.#matches(SCALAR_START)) return this.#failAtEnd();
    return this.#take(SCALAR) ? this.#valueDone() : 'unexpected';
  }

  #key(next: string): JsonError['problem'] | undefined {
    if (next !== '"') return 'unexpected';
    const problem = this.#string();
    if (problem === undefined) this.#expected = ':';
    return problem;
  }

  #separator(next: string): JsonError['problem'] | undefined {
    const container = this.#open.at(-1);
    if (next === ',') return this.#advance(container === '{' ? 'key' : 'value');
    return next === (container === '{' ? '}' : ']') ? this.#close() : 'unexpected';
  }

  #string(): JsonError['problem'] | undefined {
    this.#offset++;
    for (;;) {
      this.#take(PLAIN_CHARACTERS);
      const next = this.#text.charAt(this.#offset);
      if (next === '') return 'truncated';
      if (next === '"') {
        this.#offset++;
        return undefined;
      }
      if (this.#matches(ESCAPE_START)) return this.#failAtEnd();
      if (!this.#take(ESCAPE)) return 'unexpected';
    }
  }

  #close(): undefined {
    this.#open.pop();
    this.#offset++;
    return this.#valueDone();
  }

  #valueDone(): undefined {
    this.#expected = this.#open.length === 0 ? 'end' : ', or end';
  }

  #advance(expected: Expected): undefined {
    this.#offset++;
    this.#expected = expected;
  }

  #failAtEnd(): 'truncated' {
    this.#offset = this.#text.length;
    return 'truncated';
  }

  #matches(pattern: RegExp): boolean {
    pattern.lastIndex = this.#offset;
    return pattern.test(this.#text);
  }

  #take(pattern: RegExp): boolean {
    const matched = this.#matches(pattern);
    if (matched) this.#offset = pattern.lastIndex;
    return matched;
  }
}
