/** Between two digits these say something: `1.2` is not `12`. */
const BETWEEN_DIGITS = /(?<=\p{N})([.\-–:/])(?=\p{N})/gu;
const KEPT = '\u0001';
/** Spellings differ in these: `Pay-Service`, `pay_service`, `PayService`, `"pay service"`. What remains apart: `C`, `C++`, `C#`. */
const LOOSE = /[\s\-–—_.,:;!?'"`´’‘“”()[\]{}<>/\\|*~^=]+/gu;

/**
 * What spellings of one name have in common: width, case, spaces, hyphens, quotes, a leading article, a possessive ending. Plurals stay apart,
 * and so do names of which one is longer: what is joined by mistake cannot be told apart again. Empty for what is no name.
 */
export const entityKey = (name: string): string =>
  name
    .normalize('NFKC')
    .trim()
    .replace(/^(?:the|an?)\s+/i, '')
    .replace(/['’]s$/i, '')
    .toLowerCase()
    .replace(BETWEEN_DIGITS, KEPT)
    .replace(LOOSE, '')
    .replaceAll(KEPT, '.');
