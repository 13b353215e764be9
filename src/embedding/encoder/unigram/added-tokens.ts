import { trimmedEnd } from './white-space.js';

/** A token that stands for itself where it is written out in a text. */
export interface AddedToken {
  readonly id: number;
  readonly content: string;
  /** The white space before it is a part of it. */
  readonly lstrip: boolean;
}

/** Finds added tokens in texts: the first, and of those that start at one place the longest. */
export class AddedTokens {
  readonly #tokens: ReadonlyMap<string, AddedToken>;
  readonly #pattern: RegExp;

  constructor(tokens: readonly AddedToken[]) {
    this.#tokens = new Map(tokens.map((token) => [token.content, token]));
    const contents = [...this.#tokens.keys()].sort((a, b) => b.length - a.length);
    const literals = contents.map((content) => content.replace(/[$()*+./?[\\\]^{|}-]/g, '\\$&'));
    this.#pattern = new RegExp(literals.length === 0 ? '(?!)' : `(${literals.join('|')})`, 'u');
  }

  /** Calls `visit` with the text between added tokens, and with their ids, in order. */
  forEachSection(text: string, visitText: (text: string) => void, visitToken: (id: number) => void): void {
    const sections = text.split(this.#pattern);
    for (const [at, section] of sections.entries()) {
      // The pattern captures: every other section is a token.
      const token = at % 2 === 1 ? this.#tokens.get(section) : undefined;
      if (token !== undefined) visitToken(token.id);
      else
        visitText(this.#tokens.get(sections[at + 1] ?? '')?.lstrip === true ? trimmedEnd(section) : section);
    }
  }
}
