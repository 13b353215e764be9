import type { TextRange } from '../../../core/document.js';
import { type Detection, matchAt } from '../detection.js';
import { detectOptionSecrets } from './option-secret.js';
import { passwordBefore, passwordFarther } from './password-in-prose.js';
import { isPlaceholder } from './placeholder.js';
import { SECRET_NAME, SECRET_STEMS } from './secret-names.js';

const QUOTE = `["'\`]`;
// What may stand between a name and its value: `=`, `:`, `=>`, `:=`, full-width forms, `is` and its like in prose.
const ASSIGNS = String.raw`(?:${QUOTE}?\]?\s{0,4}(?:=>|:=|[:=：＝])\s{0,4}|\s(?:is|was|lautet|ist|est|es|era|jest|är|è|é|to)(?:\s?:)?\s|[是为は]\s?|>|\s(?=["'\x60]))`;
const VALUE = String.raw`(?:"([^"\r\n]{1,512})"|'([^'\r\n]{1,512})'|\x60([^\x60\r\n]{1,512})\x60|「([^」\r\n]{1,256})」|([^\s"'\x60,;<>()&，。；、）】」]{1,512}))`;
const ASSIGNED = new RegExp(`(${ASSIGNS})${VALUE}`, 'iuyd');

/** Passwords and keys that a name beside them tells: settings, JSON, XML, code, headers, options, prose. */
export function* detectAssignedSecrets(text: string): Generator<Detection> {
  yield* detectOptionSecrets(text);
  for (const stem of SECRET_STEMS) {
    stem.lastIndex = 0;
    for (let at = stem.exec(text)?.index; at !== undefined; at = stem.exec(text)?.index) {
      const name = matchAt(SECRET_NAME, text, at);
      if (name === null) continue;
      const nameEnd = at + name[0].length;
      const found = secretOf(text, { start: at, end: nameEnd }, name[1] !== undefined);
      if (found !== undefined) yield { ...found, type: 'API_KEY' };
      stem.lastIndex = Math.max(nameEnd, found?.end ?? 0);
    }
  }
}

const secretOf = (text: string, name: TextRange, isPassword: boolean): TextRange | undefined =>
  assignedValue(text, name.end, isPassword) ??
  (isPassword ? (passwordBefore(text, name.start) ?? passwordFarther(text, name.end)) : undefined);

/** The value that is given to a name, where it is one. */
function assignedValue(text: string, nameEnd: number, isPassword: boolean): TextRange | undefined {
  const match = matchAt(ASSIGNED, text, nameEnd);
  const range = match?.indices?.slice(2).find((group) => group !== undefined);
  if (match === null || range === undefined) return undefined;
  const [start, stop] = range;
  const isQuoted = match[6] === undefined;
  const whole = text.slice(start, stop);
  // A full stop or comma ends the sentence, `]` and `}` what the value stands in; `!` may well belong to a password.
  const value = isQuoted ? whole : whole.replace(/\\[rn].*$/, '').replace(/[.:\]}\\|*…–—]+$/, '');
  const end = start + value.length;
  const isProse = /^\s?(?:\p{L}|[:：]\s)/u.test(match[1] ?? '') && !isQuoted;
  if (value === '' || isPlaceholder(value) || (!isQuoted && isExpression(value, text[end]))) return undefined;
  const isSecret = isPassword ? isPassphrase(value, { isQuoted, isProse }) : isKey(value);
  return isSecret ? { start, end } : undefined;
}

/** Calls, members and elements: code that fetches a secret holds none. */
const isExpression = (value: string, next: string | undefined): boolean =>
  next === '(' ||
  /[[\]{}]/.test(value) ||
  /^[A-Za-z_$][\w$]*(?:(?:\?\.|\.|::|->)[A-Za-z_$][\w$]*)+$/.test(value) ||
  /^[!|>&]/.test(value) ||
  /^\/[\w.-]+\/|^\.{0,2}\//.test(value);

const CLASSES: readonly RegExp[] = [/\d/, /[a-z]/, /[A-Z]/, /[^A-Za-z0-9]/];
const classesOf = (value: string): number => CLASSES.filter((pattern) => pattern.test(value)).length;

/** A password is no word of a sentence: it mixes digits, signs or cases. */
function isPassphrase(
  value: string,
  { isQuoted, isProse }: { isQuoted: boolean; isProse: boolean },
): boolean {
  if (value.length < 4) return false;
  if (/\s/.test(value) && !(isQuoted && /\d/.test(value))) return false;
  if (/^\d+$/.test(value)) return value.length >= 6 || !isProse;
  if (/^[\p{Lu}]?[\p{Ll}\p{Lo}]+$/u.test(value)) return !isQuoted && !isProse && value.length >= 6;
  if (/\d/.test(value)) return classesOf(value) >= 2;
  // Words joined by a hyphen and words in capitals are names of things.
  return (
    classesOf(value) >= (isProse ? 3 : 2) &&
    !/^[A-Za-z]+(?:[_-][a-z]+)+$/.test(value) &&
    !/^[A-Z_]+$/.test(value) &&
    !/^[a-z]+(?:[A-Z][a-z]+)+$/.test(value)
  );
}

/** A key is long and mixed. */
const isKey = (value: string): boolean =>
  value.length >= 8 &&
  !/\s/.test(value) &&
  /\d/.test(value) &&
  /[A-Za-z]/.test(value) &&
  (value.length >= 16 || classesOf(value) >= 3 || /[\da-f]{8,}/.test(value) || /\d.*[a-z].*\d/i.test(value));
