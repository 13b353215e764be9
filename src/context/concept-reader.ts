/** Words by what they stand for (`models/builtin/instruction-flags.json`). */
export type Lexicon = Readonly<Record<string, string>>;

/** A word of a text, folded, with what it stands for. */
export interface ReadWord {
  readonly word: string;
  /** Indices into the names of the lexicon; empty for most words. */
  readonly concepts: readonly number[];
}

const NON_ASCII = /[^\0-\x7f]/;
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー]/u;
const WORD =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー]+|[\p{L}\p{M}\p{N}]+(?:['’][\p{L}]{1,3})?|[:](?=\s|$)|:/gu;
const LONGEST_WORD = 24;
const LEAST_STEM = 2;
const MOST_REMEMBERED = 20_000;

/** Lower case without diacritics, as words of the lexicon are compared. */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  if (!NON_ASCII.test(lower)) return lower;
  return lower
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .replaceAll('ß', 'ss')
    .replaceAll('’', "'");
}

/** Finds what the words of a text stand for. Scripts without spaces are read in pairs of characters. */
export class ConceptReader {
  readonly names: readonly string[];
  readonly #words = new Map<string, number[]>();
  readonly #stems = new Map<string, number[]>();
  /** Entries of scripts without spaces, by their first character, longest first. */
  readonly #unspaced = new Map<string, { entry: string; concept: number }[]>();
  #known = new Map<string, readonly number[]>();

  constructor(lexicon: Lexicon) {
    this.names = Object.keys(lexicon);
    this.names.forEach((name, concept) => {
      for (const entry of (lexicon[name] ?? '').split(/\s+/).filter(Boolean)) this.#add(fold(entry), concept);
    });
  }

  #add(entry: string, concept: number): void {
    const push = (map: Map<string, number[]>, key: string): void => {
      const list = map.get(key) ?? [];
      if (!list.includes(concept)) map.set(key, [...list, concept]);
    };
    if (UNSPACED.test(entry.charAt(0))) {
      const first = entry.charAt(0);
      const list = [...(this.#unspaced.get(first) ?? []), { entry, concept }];
      this.#unspaced.set(
        first,
        list.sort((a, b) => b.entry.length - a.entry.length),
      );
    } else if (entry.endsWith('*')) push(this.#stems, entry.slice(0, -1));
    else push(this.#words, entry);
  }

  /** The words of a text in order. Linear in its length. */
  read(text: string): ReadWord[] {
    const words: ReadWord[] = [];
    for (const [match] of fold(text).matchAll(WORD)) {
      if (UNSPACED.test(match.charAt(0))) this.#readUnspaced(match, words);
      else words.push({ word: match.slice(0, LONGEST_WORD), concepts: this.#conceptsOf(match) });
    }
    return words;
  }

  #conceptsOf(word: string): readonly number[] {
    const known = this.#known.get(word);
    if (known !== undefined) return known;
    const found = new Set(this.#words.get(word));
    for (let length = LEAST_STEM; length <= Math.min(word.length, LONGEST_WORD); length++) {
      for (const concept of this.#stems.get(word.slice(0, length)) ?? []) found.add(concept);
    }
    if (this.#known.size >= MOST_REMEMBERED) this.#known = new Map();
    const concepts = [...found];
    if (word.length <= LONGEST_WORD) this.#known.set(word, concepts);
    return concepts;
  }

  #readUnspaced(run: string, words: ReadWord[]): void {
    for (let at = 0; at < run.length; at++) {
      const concepts = (this.#unspaced.get(run.charAt(at)) ?? [])
        .filter(({ entry }) => run.startsWith(entry, at))
        .map(({ concept }) => concept);
      words.push({ word: run.slice(at, at + 2), concepts: [...new Set(concepts)] });
    }
  }
}
