import { readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { contentHash } from '../../core/ids.js';

/** The optional packages that recognise text in pictures, as far as they are installed; plain data. */
export interface OcrPart {
  /** Codes of the languages whose data is installed (`eng`), with the folders of the data. */
  readonly languages: readonly { readonly code: string; readonly folder: string }[];
  /** Another one where pages would be read otherwise: by other data. */
  readonly version: string;
}

/** What to do where pages are pictures and nothing reads them. */
export const OCR_ADVICE =
  '`npm install tesseract.js@7.0.0 @tesseract.js-data/eng@1.0.0` and another run read pages that are pictures (OCR).';

const PROGRAM = 'tesseract.js';
const DATA_SCOPE = '@tesseract.js-data';
/** The folder in a package of data with the models that are whole numbers: as good, and a third of the size. */
const MODELS = '4.0.0_best_int';
/** Data that is no language: the direction of writing, and formulas. */
const NO_LANGUAGES: ReadonlySet<string> = new Set(['osd', 'equ']);

/** Undefined where `tesseract.js` or any data of a language is missing. Looks at the file system alone. */
export function installedOcr(): OcrPart | undefined {
  const { resolve } = createRequire(import.meta.url);
  try {
    resolve(PROGRAM);
  } catch {
    return undefined;
  }
  const data = new Map<string, { readonly code: string; readonly folder: string; readonly bytes: number }>();
  for (const packages of resolve.paths(PROGRAM) ?? [])
    for (const code of languagesIn(join(packages, DATA_SCOPE))) {
      const folder = join(packages, DATA_SCOPE, code, MODELS);
      const bytes = statSync(join(folder, `${code}.traineddata.gz`), { throwIfNoEntry: false })?.size;
      if (bytes !== undefined && !data.has(code)) data.set(code, { code, folder, bytes });
    }
  if (data.size === 0) return undefined;
  const languages = [...data.values()].sort((a, b) => (a.code < b.code ? -1 : 1));
  const version = contentHash(JSON.stringify(languages.map(({ code, bytes }) => [code, bytes]))).slice(0, 8);
  return { languages: languages.map(({ code, folder }) => ({ code, folder })), version };
}

function languagesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((code) => /^\w+$/.test(code) && !NO_LANGUAGES.has(code));
  } catch {
    return [];
  }
}
