import type { Detection } from '../detection.js';
import { isPlaceholder } from './placeholder.js';

/** Names of what is chosen by people; short values count. */
const PASSWORD_NAMES =
  'password|passwd|passphrase|passcode|passwort|kennwort|(?<![A-Za-z])pass|(?<![A-Za-z])pw|pwd|pswd|mot[ _]de[ _]passe|mdp|contraseña|clave|wachtwoord|hasło|senha|palavra[ _-]passe|lösenord|heslo|jelszó|şifre|пароль|비밀번호|密码|口令|パスワード';
/** Names of what is made by machines. */
const KEY_NAMES =
  'api[ _-]?key|apikey|app[_-]?key|access[ _-]?key|account[_-]?key|auth[_-]?key|secret[ _-]?key(?:[_-]?base)?|private[_-]?key|encryption[_-]?key|signing[_-]?key|master[_-]?key|shared[_-]?access[_-]?key|license[_-]?key|storage[_-]?key|secret[ _-]?access[ _-]?key|client[ _-]?secret|app[_-]?secret|signing[ _-]?secret|webhook[ _-]?secret|secret|(?:access|auth|api|refresh|bearer|session|bot|id|deploy|security|csrf|personal)?[ _-]?token|credential|密钥|令牌|_key|_pat';
const QUOTE = `["'\`]`;
// What may stand between a name and its value: `=`, `:`, `=>`, `:=`, full-width forms, `is` and its like in prose.
const ASSIGNS = String.raw`(?:${QUOTE}?\]?\s{0,4}(?:=>|:=|[:=：＝])\s{0,4}|\s(?:is|was|lautet|ist|est|es|era|jest|är)(?:\s?:)?\s|[是为]\s?|>|\s(?=["'\x60]))`;
const VALUE = String.raw`(?:"([^"\r\n]{1,512})"|'([^'\r\n]{1,512})'|\x60([^\x60\r\n]{1,512})\x60|「([^」\r\n]{1,256})」|([^\s"'\x60,;<>()&，。；、）】」]{1,512}))`;
const ASSIGNMENT = new RegExp(`(${PASSWORD_NAMES}|${KEY_NAMES})(${ASSIGNS})${VALUE}`, 'giud');
const PASSWORD_NAME = new RegExp(`^(?:${PASSWORD_NAMES.replaceAll('(?<![A-Za-z])', '')})$`, 'iu');

/** `Authorization: Bearer ...`, `Basic ...`, `token ...`. */
const AUTHORIZATION =
  /\b(?:bearer|basic|apikey|api-key|(?<=authorization["']?[:=]\s?["']?)(?:token|key))[ :]\s?["']?([\w.~+/=-]{16,2048})/dgi;
/** Options of programs. */
const OPTION =
  /(?<![\w-])--?(?:[a-z]{1,20}[_-]){0,3}(?:password|passwd|pass|passphrase|token|secret|api-?key|auth|pat)[ =]["']?([^\s"'`-][^\s"'`]{3,255})/dgi;
const SHORT_OPTION =
  /\b(?:redis-cli\b[^\r\n|;&]{0,80}? -a |(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\r\n|;&]{0,80}? -p|sshpass -p ?|(?:docker|podman|az|oc) login\b[^\r\n|;&]{0,80}? -p |sqlcmd\b[^\r\n|;&]{0,80}? -P |curl\b[^\r\n|;&]{0,120}? (?:-u|--user) ["']?[^\s:"']{1,64}:)["']?([^\s"'`]{3,128})/dg;
const SIGNATURE = /[?&;]sig=([A-Za-z0-9%+/=_-]{30,128})/dg;

/** Passwords and keys that a name beside them tells: settings, JSON, XML, code, headers, options, prose. */
export function* detectAssignedSecrets(text: string): Generator<Detection> {
  yield* detectAssignments(text);
  for (const pattern of [AUTHORIZATION, OPTION, SHORT_OPTION, SIGNATURE]) {
    for (const match of text.matchAll(pattern)) {
      const [start, end] = match.indices?.[1] ?? [0, 0];
      const value = text.slice(start, end).replace(/[.,;:)\]]+$/, '');
      if (value.length < 4 || isPlaceholder(value)) continue;
      if (pattern === AUTHORIZATION && !/\d/.test(value)) continue;
      yield { start, end: start + value.length, type: 'API_KEY' };
    }
  }
}

function* detectAssignments(text: string): Generator<Detection> {
  for (const match of text.matchAll(ASSIGNMENT)) {
    const found = assignedValue(match);
    if (found === undefined) continue;
    const { start, value, isQuoted } = found;
    // `GATEWAY_KEY=` is a setting; `primary_key = ` is a column.
    if (/^_(?:key|pat)$/.test(match[1] ?? '')) continue;
    const isPassword = PASSWORD_NAME.test(match[1] ?? '');
    const isProse = /^\s?(?:\p{L}|[:：]\s)/u.test(match[2] ?? '') && !isQuoted;
    const next = text[start + value.length];
    if (isPlaceholder(value) || (!isQuoted && isExpression(value, next))) continue;
    if (isPassword ? !isPassphrase(value, { isQuoted, isProse }) : !isKey(value)) continue;
    yield { start, end: start + value.length, type: 'API_KEY' };
  }
}

function assignedValue(
  match: RegExpExecArray,
): { start: number; value: string; isQuoted: boolean } | undefined {
  for (let group = 3; group <= 7; group += 1) {
    const range = match.indices?.[group];
    const text = match[group];
    if (range === undefined || text === undefined) continue;
    const isQuoted = group < 7;
    // A full stop or comma ends the sentence, `]` and `}` what the value stands in; `!` may well belong to a password.
    const value = isQuoted ? text : text.replace(/\\[rn].*$/, '').replace(/[.:\]}\\|*…–—]+$/, '');
    return value === '' ? undefined : { start: range[0], value, isQuoted };
  }
  return undefined;
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
