import type { PageItem } from './columns.js';
import type { DrawnPage } from './page-picture.js';

/** A run of text and its font, as PDF.js names it. */
export interface PrintedItem extends PageItem {
  readonly fontName: string;
}

/** A page of PDF.js, as far as its fonts are concerned. */
export interface PrintedPage extends DrawnPage {
  readonly commonObjs: Iterable<readonly unknown[]>;
}

/** What a text is made of that is written in words: letters of ASCII and blanks, and among its small letters vowels. Shares of each. */
const MIN_LETTERS = 0.75;
const MIN_VOWELS = 0.2;

/**
 * Names of the fonts of which the file does not say which letters they show (composite fonts with numbers of glyphs as codes and without `ToUnicode`; ISO 32000-1,
 * 9.10.2), of one document. PDF.js gives the numbers as if they were letters.
 */
export class UnknownFonts {
  readonly #isUnknown = new Map<string, boolean>();

  /** Runs whose letters are known, and how many letters the others have. */
  async known<Item extends PrintedItem>(
    items: readonly Item[],
    page: PrintedPage,
  ): Promise<{ readonly known: readonly Item[]; readonly unknown: number }> {
    await this.#learn(items, page);
    const unknown = items
      .filter(({ fontName }) => this.#isUnknown.get(fontName) === true)
      .reduce((sum, { str }) => sum + str.trim().length, 0);
    if (unknown === 0) return { known: items, unknown };
    return {
      known: items.map((item) => (this.#isUnknown.get(item.fontName) === true ? { ...item, str: '' } : item)),
      unknown,
    };
  }

  /** Fonts are read with the drawing of a page, which takes as long as its text: only where the text of one that is new is no plain words. */
  async #learn(items: readonly PrintedItem[], page: PrintedPage): Promise<void> {
    const texts = new Map<string, string>();
    for (const { fontName, str } of items)
      if (!this.#isUnknown.has(fontName)) texts.set(fontName, `${texts.get(fontName) ?? ''}${str} `);
    const doubted = [...texts].filter(([, text]) => text.trim() !== '' && !isOfWords(text));
    if (doubted.length === 0) return;
    await page.getOperatorList().catch(() => undefined);
    const fonts = new Map([...page.commonObjs].map(([name, font]) => [name, font]));
    for (const [name] of doubted) if (fonts.has(name)) this.#isUnknown.set(name, isUnknown(fonts.get(name)));
  }
}

function isOfWords(text: string): boolean {
  const count = (pattern: RegExp): number => text.match(pattern)?.length ?? 0;
  const small = count(/[a-z]/g);
  return count(/[a-z ]/gi) >= MIN_LETTERS * text.length && count(/[aeiouy]/g) > MIN_VOWELS * small;
}

/** Where a font says nothing, PDF.js takes each code for the letter of its number: a range, in place of a map. */
function isUnknown(font: unknown): boolean {
  if (typeof font !== 'object' || font === null || !('composite' in font) || !('toUnicode' in font))
    return false;
  const { composite, toUnicode } = font;
  return (
    composite === true && typeof toUnicode === 'object' && toUnicode !== null && 'firstChar' in toUnicode
  );
}
