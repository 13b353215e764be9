import { decodeAs } from './decode-as.js';

/** In the order in which they are preferred where a text is as likely in several. */
const ENCODINGS = ['windows-1251', 'koi8-r', 'ibm866', 'iso-8859-5', 'koi8-u', 'x-mac-cyrillic'];

export const isCyrillic = (encoding: string): boolean => ENCODINGS.includes(encoding);

/** Words of more than one letter, some beyond ASCII, with signs that stand among them. */
const WORD = /(?<![a-z\P{ASCII}])[a-z]*[^\p{ASCII}][a-z\P{ASCII}]*/giu;
/** As Russian, Ukrainian, Bulgarian and Serbian are written: small letters, with one capital in front, or capitals alone. */
const WRITTEN = /^(?:[А-ЯЁІЇЄҐЎЈЉЊЋЂЏЅ]?[а-яёіїєґўјљњћђџѕ]+|[А-ЯЁІЇЄҐЎЈЉЊЋЂЏЅ]+)$/u;
/** The twelve most frequent letters of Russian, with `і`; they are two thirds of long texts in the Cyrillic script. */
const FREQUENT = /[оеаинтсрвлкмі]/giu;
const MIN_WRITTEN = 0.8;
const MIN_FREQUENT = 0.42;

/** The encoding in which bytes are words of the Cyrillic script; undefined where there is none. Certainty from 1 to 100, by how many letters are frequent ones. */
export function cyrillicEncoding(
  sample: Uint8Array,
): { readonly encoding: string; readonly certainty: number } | undefined {
  const [best] = ENCODINGS.flatMap((encoding) => {
    const words =
      decodeAs(encoding, sample)
        .match(WORD)
        ?.filter(({ length }) => length > 1) ?? [];
    const all = words.join('');
    const written = words.filter((word) => WRITTEN.test(word)).join('');
    const frequent = written.match(FREQUENT)?.length ?? 0;
    const isLikely =
      written.length > 0 &&
      written.length >= MIN_WRITTEN * all.length &&
      frequent >= MIN_FREQUENT * written.length;
    return isLikely ? [{ encoding, frequent, share: frequent / all.length }] : [];
  }).sort((a, b) => b.share - a.share);
  return best === undefined
    ? undefined
    : { encoding: best.encoding, certainty: Math.min(99, Math.round(100 * best.share)) };
}
