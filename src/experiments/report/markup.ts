const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
/** What HTML forbids in text, and what turns text around so that it reads as something else. */
const UNSEEN = /(?![\t\n\r])[\p{Cc}\p{NChar}\u202A-\u202E\u2066-\u2069\uFEFF]/gu;

/** Markup that is safe to be part of a page. Nothing else becomes a part of one. */
export class Markup {
  readonly #text: string;

  /** @param text that is markup already; `html` makes it */
  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

type Part = Markup | string | number | readonly Part[];

/** Markup of a template: what is filled in is text and is escaped, unless it is markup itself. */
export const html = (literals: TemplateStringsArray, ...parts: readonly Part[]): Markup =>
  new Markup(
    literals.map((literal, at) => literal + (at < parts.length ? shown(parts[at] ?? '') : '')).join(''),
  );

function shown(part: Part): string {
  if (part instanceof Markup) return String(part);
  if (typeof part === 'object') return part.map(shown).join('');
  return escapeText(String(part));
}

/** Text as it may stand between tags and in quoted attributes. */
export const escapeText = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(UNSEEN, '\uFFFD')
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
