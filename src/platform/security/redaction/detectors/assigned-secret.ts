import type { TextRange } from '../../../../core/document.js';
import { type Detection, matchAt } from '../detection.js';
import { detectOptionSecrets } from './option-secret.js';
import { looksMade, OTHER_SETTING, passwordBefore, passwordFarther } from './password-in-prose.js';
import { isPlaceholder } from './placeholder.js';
import { isExpression, isKey, isPassphrase, type Standing } from './secret-values.js';
import { SecretsBelowLabels } from './secrets-below-labels.js';

/**
 * How names of secrets begin, or end where many words may stand before it. Nothing but letters, so that V8 finds them in a glance;
 * those outside of ASCII apart, for the same reason.
 */
const SECRET_STEMS: readonly RegExp[] = [
  /pass|pw|pswd|mdp|kennwort|clave|wachtwoord|senha|heslo|key|secret|token|credential/gi,
  /contraseña|hasło|lösenord|jelszó|şifre|пароль|비밀번호|密码|口令|パスワード|密钥|令牌/gi,
];

/** Names of what is chosen by people; short values count. */
const PASSWORD_NAMES = [
  'pass(?:word|wort|wd|phrase|code)',
  'passe(?<=mot[ _]de[ _]passe|palavra[ _-]passe)',
  'pwd|pswd|mdp|kennwort|clave|wachtwoord|senha|heslo',
  '(?<![A-Za-z])(?:pass|pw)',
  'contraseña|hasło|lösenord|jelszó|şifre|пароль|비밀번호|密码|口令|パスワード',
].join('|');
/** Names of what is made by machines. */
const KEY_NAMES = [
  '(?<=(?:api|access|secret)[ _-]?|(?:app|account|auth|private|encryption|signing|master|license|storage)[_-]?)key(?:[_-]?base)?',
  'secret|token|credential|密钥|令牌',
].join('|');

/** What a secret is called, where a stem is. The first group is the name of a password, the second of a key. */
const SECRET_NAME = new RegExp(`(${PASSWORD_NAMES})|(${KEY_NAMES})`, 'iy');

const QUOTE = `["'\`]`;
// What may stand between a name and its value: `=`, `:`, `=>`, `:=`, full-width forms, `is` and its like in prose.
const ASSIGNS = String.raw`(?:${QUOTE}?\]?\s{0,4}(?:=>|:=|[:=：＝])\s{0,4}(?:[NbruBRU](?=["']))?|\s(?:is|was|lautet|ist|est|es|era|jest|är|è|é|to)(?:\s?:)?\s|[是为は]\s?|>|(?:\s|[ \t]{2,4})(?=["'\x60]))`;
/** A variable of Terraform, up to its default. */
const IN_BLOCK = String.raw`["']\s{0,4}\{(?:[^{}]|\{[^{}]{0,200}\}){0,400}?(?<![\w-])default\s{0,40}=\s{0,4}`;
const VALUE = String.raw`(?:"([^"\r\n]{1,512})"|'([^'\r\n]{1,512})'|\x60([^\x60\r\n]{1,512})\x60|「([^」\r\n]{1,256})」|([^\s"'\x60,;<>()&，。；、）】」][^\s"'\x60(，。；、）】」]{0,511}))`;
const ASSIGNED = new RegExp(`(${ASSIGNS}|${IN_BLOCK})${VALUE}`, 'iuyd');
/** What a key is of, between its name and its sign: `API key for staging = ...`, `token (CI): ...`. */
const OF = String.raw`s?(?: ?\([^()\r\n]{1,40}\)| (?:for|of|on|in|für|von|vom|zum|pour|para|per|dla|voor)(?: [\p{L}\p{N}][\p{L}\p{N}._/-]{0,30}){1,6}?)`;
const ASSIGNED_OF = new RegExp(
  `${OF}(\\s{0,2}[:=：＝]\\s{0,4}|\\s(?:is|was|lautet|ist|est|es)(?:\\s?:)?\\s)${VALUE}`,
  'iuyd',
);
/** What has such values and is no secret. */
const OF_CONTENT = /\b(?:commit|revision|checksum|digest|hash|etag|sha\d*|md5|cache|trace|request|order)\b/i;

/** Passwords and keys that a name beside them tells: settings, JSON, XML, code, headers, options, prose. */
export function* detectAssignedSecrets(text: string): Generator<Detection> {
  yield* detectOptionSecrets(text);
  yield* detectIdentifiedBy(text);
  const labels = new SecretsBelowLabels(text);
  for (const stem of SECRET_STEMS) {
    stem.lastIndex = 0;
    for (let at = stem.exec(text)?.index; at !== undefined; at = stem.exec(text)?.index) {
      const name = matchAt(SECRET_NAME, text, at);
      if (name === null) continue;
      const range = { start: at, end: at + name[0].length };
      const isPassword = name[1] !== undefined;
      const found = secretOf(text, range, isPassword);
      if (found !== undefined) yield { ...found, type: 'API_KEY' };
      for (const secret of labels.find(range, isPassword)) yield { ...secret, type: 'API_KEY' };
      stem.lastIndex = Math.max(range.end, found?.end ?? 0);
    }
  }
}

const secretOf = (text: string, name: TextRange, isPassword: boolean): TextRange | undefined =>
  assignedValue(text, matchAt(ASSIGNED, text, name.end), isPassword) ??
  (isPassword
    ? (passwordOfStatement(text, name) ?? passwordBefore(text, name.start) ?? passwordFarther(text, name.end))
    : keyOf(text, name.end));

/** The key whose name says in some words what it is of. */
function keyOf(text: string, nameEnd: number): TextRange | undefined {
  const match = matchAt(ASSIGNED_OF, text, nameEnd);
  if (match === null || OF_CONTENT.test(match[0].slice(0, match[0].indexOf(match[1] ?? ''))))
    return undefined;
  const range = assignedValue(text, match, false);
  if (range === undefined) return undefined;
  const value = text.slice(range.start, range.end);
  return looksMade(value) || KEY_OF_DIGITS.test(value) ? range : undefined;
}
/** Of hexadecimal digits alone, which may be those of a hash. */
const KEY_OF_DIGITS = /^[\da-f]{16,}$/i;

/** The value that is given to a name, where it is one. */
function assignedValue(
  text: string,
  match: RegExpExecArray | null,
  isPassword: boolean,
): TextRange | undefined {
  const range = match?.indices?.slice(2).find((group) => group !== undefined);
  if (match === null || range === undefined) return undefined;
  const [start, stop] = range;
  const isQuoted = match[6] === undefined;
  const whole = text.slice(start, isQuoted ? stop : endOfBare(text, start, stop));
  // A full stop or comma ends the sentence, `]` and `}` what the value stands in; `!` may well belong to a password.
  const value = isQuoted ? whole : whole.replace(/\\[rn].*$/, '').replace(/[.,;:\]}\\|*…–—]+$/, '');
  /** Up to a sign that may belong to the value or end it. */
  const first = isQuoted ? value : value.replace(/[,;<>)&].*$/, '');
  const end = start + value.length;
  const isProse = /^\s?(?:\p{L}|[:：]\s)/u.test(match[1] ?? '');
  if (value === '' || isPlaceholder(first) || (!isQuoted && isExpression(first, text[start + first.length])))
    return undefined;
  // What is all that its line holds may be shorter (`SecretsBelowLabels`).
  const isBelow = !isQuoted && /^[^\p{L}]*[\r\n]/u.test(match[1] ?? '');
  if (isBelow && (!looksMade(value) || OTHER_SETTING.test(value))) return undefined;
  const isSecret = (each: string): boolean =>
    isPassword ? isPassphrase(each, isQuoted ? 'quoted' : isProse ? 'prose' : 'beside') : isKey(each);
  return isSecret(first) || (/\d/.test(value) && isSecret(value)) ? { start, end } : undefined;
}

/** What ends a value without quotation marks before the next blank: a tag, an entity, another setting. */
const ENDS_VALUE =
  /<(?:\/?[a-z][^<>]{0,200}>|!--)|&(?:&|[\w.%[\]-]{1,60}=|(?:quot|apos|lt|gt|nbsp|#\d{1,5}|#x[\da-f]{1,4});)|[,;]{1,2}(?:[ \t]?["'\w][\w .-]{0,60}["']?[:=]|["'\s\p{Lo}]|$)/iuy;
const OPENING: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{', '>': '<' };
/** Before a value, in UTF-16 code units. */
const MOST_BEFORE = 200;

/** Up to a closing mark that was opened before the value, too. */
function endOfBare(text: string, start: number, stop: number): number {
  const before = text.slice(Math.max(text.lastIndexOf('\n', start - 1) + 1, start - MOST_BEFORE), start);
  for (let at = start; at < stop; at += 1) {
    const mark = text.charAt(at);
    const opening = OPENING[mark];
    if (opening !== undefined && before.lastIndexOf(opening) > before.lastIndexOf(mark)) return at;
    if ('<&,;'.includes(mark) && matchAt(ENDS_VALUE, text, at) !== null) return at;
  }
  return stop;
}

const LITERAL = String.raw`(?:'([^'\r\n]{1,256})'|"([^"\r\n]{1,256})")`;
const PLUGIN = String.raw`(?:(?:with|via)\s{1,8}['"\x60]?[\w-]{1,64}['"\x60]?\s{1,8})?`;
/** MySQL, MariaDB, Oracle and others. */
const IDENTIFIED = new RegExp(
  String.raw`identified\s{1,8}${PLUGIN}(?:by|as|using)\s{1,8}(?:(?:password|values)\s{0,8}\(?\s{0,8})?(?:${LITERAL}|([^\s'"\x60,;()]{1,128}))`,
  'iyd',
);
/** What the statement is, on its way there. */
const OF_USER = /\b(?:create|alter|grant)\s[^;]*$/i;
const REACH = 240;

/** Passwords of users whom a statement of SQL makes or changes: `IDENTIFIED BY '...'`. */
function* detectIdentifiedBy(text: string): Generator<Detection> {
  for (const { index } of text.matchAll(/identified/gi)) {
    const match = matchAt(IDENTIFIED, text, index);
    if (match === null || !OF_USER.test(text.slice(Math.max(0, index - REACH), index))) continue;
    const secret = secretIn(match);
    if (secret !== undefined) yield { ...secret, type: 'API_KEY' };
  }
}

const SETS = /\bset\s{1,8}$/i;
const SET_TO = new RegExp(
  String.raw`[^;\r\n=]{0,200}(?:=|\bto\b)\s{0,8}(?:\w{0,8}password\s?\(\s?)?${LITERAL}`,
  'iyd',
);
const LOGS_IN = /\blogin\s{1,8}\S{1,128}\s{1,8}(?:account\s{1,8}\S{1,128}\s{1,8})?$/i;
const LOGIN_VALUE = /\s{1,8}(?:()"([^"\r\n]{1,256})"|([^\s'"]\S{0,127}))/dy;

/** Passwords that follow their name without a sign: `SET PASSWORD FOR ... = PASSWORD('...')`, entries of .netrc. */
function passwordOfStatement(text: string, name: TextRange): TextRange | undefined {
  const before = text.slice(Math.max(0, name.start - REACH), name.start);
  const value = SETS.test(before) ? SET_TO : LOGS_IN.test(before) ? LOGIN_VALUE : undefined;
  const match = value === undefined ? null : matchAt(value, text, name.end);
  return match === null ? undefined : secretIn(match);
}

/** What a statement sets is a password, though it be a word; without quotes, which is the third group, it may be prose. */
function secretIn(match: RegExpExecArray): TextRange | undefined {
  const range = match.indices?.slice(1).find((group) => group !== undefined && group[1] > group[0]);
  if (range === undefined) return undefined;
  const [start, end] = range;
  const value = match[0].slice(start - match.index, end - match.index);
  const standing: Standing = match[3] === undefined ? 'beside' : 'prose';
  return !isPlaceholder(value) && isPassphrase(value, standing) ? { start, end } : undefined;
}
