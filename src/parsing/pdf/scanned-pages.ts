import { repeat, runtime } from '../../core/runtime.js';
import { stillAtWork } from '../still-at-work.js';
import { withoutGrain } from './clean-picture.js';
import { type DrawnPicture, drawPage, turned } from './draw-page.js';
import type { PaintedPicture, PicturedPage } from './page-picture.js';
import { type RecognisedText, type TextRecogniser, TooLong } from './text-recogniser.js';

/** Pixels of a picture that is decoded: A4 at 600 dpi has 35 million. */
export const MAX_PICTURE_PIXELS = 64_000_000;
const NO_PICTURE = `empty, drawn, or a picture of more than ${MAX_PICTURE_PIXELS / 1_000_000} million pixels`;
/** Pixels of a page as it is recognised: A3 at 300 dpi has 17 million. */
const MAX_PAGE_PIXELS = 20_000_000;
const MAX_PAGE_MS = 60_000;
/** Of all pages of a document. */
const MAX_DOCUMENT_MS = 3_600_000;
/** After so many in a row that failed, and not for their time, the others are not tried. */
const MAX_FAILURES = 3;
/** Least confidence of a page, 0 to 100, of which nothing has to be said. */
const SURE = 70;
/**
 * Below it Tesseract found letters in what is no writing, or in writing that is not upright. Measured on generated pages of A4: writing that is
 * read right (98 words of 100 and more: 72 to 300 dpi, fax, grain, turned by 2 degrees) has 88 to 95, by 5 degrees 91; at 200 dpi in grain with a
 * deviation of 50 of 255, or with a fifth of its pixels lost to specks, 79 to 81, where 94 to 98 words are right; blurred or with a tenth of its pixels
 * lost, where 44 to 81 words of 100 are right, 67 to 69; on its side or head 30 to 43; drawings and photographs 20 to 36. Half-way between the two nearest.
 */
const NO_TEXT = 55;
/** How a page is turned on which no writing is found, one after the other, in quarters clockwise. */
const TURNS = [0, 1, 3, 2];
/** How often the parsing thread says that it is at work, in milliseconds. */
const SIGN_OF_LIFE_MS = 1_000;

export interface ScannedPagesOptions {
  readonly recogniser: TextRecogniser | undefined;
  /** @default 60,000 */
  readonly maxPageMs?: number | undefined;
  /** @default 3,600,000 */
  readonly maxDocumentMs?: number | undefined;
}

/** The pages of one document that are pictures, and what became of each. */
export class ScannedPages {
  readonly #options: ScannedPagesOptions;
  readonly #sure: { readonly page: number; readonly confidence: number }[] = [];
  /** Pages by why they were not read; in the words of a notice. */
  readonly #failed = new Map<string, number[]>();
  #failures = 0;
  /** Spent on pictures, in milliseconds. */
  spentMs = 0;
  /** Pictures on the pages that were read. */
  pictures = 0;

  constructor(options: ScannedPagesOptions) {
    this.#options = options;
  }

  /** Nothing is installed that reads them. */
  get isOff(): boolean {
    return this.#options.recogniser === undefined;
  }

  /** Mean confidence of the pages that were read, 0 to 100; undefined where there are none. */
  get read(): { readonly pages: number; readonly confidence: number } | undefined {
    const pages = this.#sure.length;
    if (pages === 0) return undefined;
    return {
      pages,
      confidence: Math.round(this.#sure.reduce((sum, { confidence }) => sum + confidence, 0) / pages),
    };
  }

  /** The text of a page's pictures; undefined where they are not read. */
  async textOf(
    page: PicturedPage,
    { number, pictures }: { readonly number: number; readonly pictures: readonly PaintedPicture[] },
  ): Promise<string | undefined> {
    const { recogniser, maxPageMs = MAX_PAGE_MS, maxDocumentMs = MAX_DOCUMENT_MS } = this.#options;
    if (recogniser === undefined) return undefined;
    if (pictures.length === 0) return this.#leave(number, NO_PICTURE);
    if (this.#failures >= MAX_FAILURES) return this.#leave(number, `${MAX_FAILURES} in a row failed before`);
    if (this.spentMs >= maxDocumentMs)
      return this.#leave(number, `${maxDocumentMs / 60_000} minutes are spent on a document at most`);
    const begun = runtime().elapsed();
    const stop = repeat(stillAtWork, SIGN_OF_LIFE_MS);
    stillAtWork();
    try {
      const drawn = await drawPage(page, pictures, MAX_PAGE_PIXELS);
      if (drawn === undefined)
        return this.#leave(number, 'the picture is damaged, or in a form that is not read, as JPEG 2000');
      const { text, confidence } = await firstWriting(withoutGrain(drawn), recogniser, begun + maxPageMs);
      this.#failures = 0;
      const said = text.trim();
      if (said === '' || confidence < NO_TEXT) return this.#leave(number, 'no writing was found');
      this.#sure.push({ page: number, confidence: Math.round(confidence) });
      this.pictures += pictures.length;
      return said;
    } catch (error) {
      if (!(error instanceof TooLong)) this.#failures += 1;
      return this.#leave(number, error instanceof Error ? error.message.replace(/\.$/, '') : String(error));
    } finally {
      stop();
      this.spentMs += runtime().elapsed() - begun;
    }
  }

  #leave(page: number, why: string): undefined {
    this.#failed.set(why, [...(this.#failed.get(why) ?? []), page]);
    return undefined;
  }

  /** What was read and how surely, and what was not and why. */
  warnings(): string[] {
    const { read } = this;
    const doubtful = this.#sure.filter(({ confidence }) => confidence < SURE).map(({ page }) => page);
    const least = Math.min(...this.#sure.map(({ confidence }) => confidence));
    return [
      ...(read === undefined
        ? []
        : [
            `Pages read by OCR: ${read.pages}, with a confidence of ${read.confidence} of 100 on average, ${least} at least.${doubtful.length === 0 ? '' : ` Less than ${SURE}: page ${listNumbers(doubtful)}.`}`,
          ]),
      ...[...this.#failed].map(([why, pages]) => `Not read by OCR: page ${listNumbers(pages)} (${why}).`),
    ];
  }
}

/** Scans lie on their side more often than on their head. */
async function firstWriting(
  drawn: DrawnPicture,
  recogniser: TextRecogniser,
  deadline: number,
): Promise<RecognisedText> {
  let best: RecognisedText = { text: '', confidence: 0 };
  for (const quarters of TURNS) {
    const found = await recogniser.recognise(turned(drawn, quarters), deadline - runtime().elapsed());
    if (found.text.trim() !== '' && found.confidence > best.confidence) best = found;
    if (best.confidence >= NO_TEXT) break;
  }
  return best;
}

const MAX_LISTED = 20;

export const listNumbers = (numbers: readonly number[]): string =>
  numbers.slice(0, MAX_LISTED).join(', ') +
  (numbers.length > MAX_LISTED ? ` and ${numbers.length - MAX_LISTED} more` : '');
