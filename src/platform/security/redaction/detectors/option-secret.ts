import type { Detection } from '../detection.js';
import { looksMade } from './password-in-prose.js';
import { isPlaceholder } from './placeholder.js';
import { isPassphrase } from './secret-values.js';

/** `Authorization: Bearer ...`, `Basic ...`, `token ...`. */
const AUTHORIZATION =
  /(?:bearer|basic|api-?key|token(?<=authorization["']?[:=]\s?["']?token)|key(?<=authorization["']?[:=]\s?["']?key))[ :]\s?["']?([\w.~+/=-]{16,2048})/dgi;
/** Options of programs. */
const OPTION =
  /(?<![\w-])--?(?:[a-z]{1,20}[_-]){0,3}(?:password|passwd|pass|passphrase|storepass|keypass|passin|passout|token|secret|api-?key|auth|pat)[ =]["']?([^\s"'`-][^\s"'`]{3,255})/dgi;

/** What stands between the name of a program and its option, on one line and in one command. */
const REST = String.raw`\b[^\r\n|;&]{0,120}?`;
/** Programs whose short options and arguments are passwords, as their manuals say. */
const PROGRAMS = [
  `redis-cli${REST} -a `,
  `(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)${REST} -p ?`,
  `(?:ldapsearch|ldapmodify|ldapadd|ldappasswd|ldapwhoami)${REST} -w `,
  'sshpass -p ?',
  `(?:docker|podman|az|oc|helm registry) login${REST} -p `,
  `(?:sqlcmd|bcp)${REST} -P ?`,
  `psexec${REST} -p `,
  `(?:curl|http|https|xh)${REST} (?:-u|--user|-a|--auth) ["']?[^\\s:"']{1,64}:`,
  `smbclient${REST} -U ["']?[^\\s%"']{1,64}%`,
  `net use${REST} /user:[^\\s]{1,64} `,
  `rabbitmqctl (?:add_user|change_password) [^\\s]{1,64} `,
  `htpasswd${REST} -\\w{0,4}b\\w{0,4} [^\\s]{1,200} [^\\s]{1,64} `,
  `(?:zip|unzip)${REST} -P `,
  `7za?${REST} -p`,
].join('|');
const SHORT_OPTION = new RegExp(`(?<![\\w-])(?:${PROGRAMS})["']?([^\\s"'\`]{3,128})`, 'dg');
const SIGNATURE = /[?&;]sig=([A-Za-z0-9%+/=_-]{30,128})/dg;

/** `credentials: admin/Welcome1`, `login: admin / Welcome1`: a user and its password. */
const PAIR =
  /(?:login|log-in|credentials?|creds|zugangsdaten|anmeldedaten|identifiants|credenciales)[*_]{0,2}["']?(?: (?:is|are|sind))?\s{0,2}[:=]?[*_]{0,2}\s{1,2}["'`]?([\w.@+-]{1,64})["'`]?(?: ?\/ ?|:(?!\/\/))["'`]?([^\s"'`,;<>()|/]{4,128})/dgi;
const USUAL_USER =
  /^(?:admin(?:istrator)?|root|guest|demo|test|operator|support|postgres|sa|system|superuser|pi|ubuntu)$/i;

/** Passwords behind their user, separated by a slash or colon; unless the user is a usual one, only what is no name of a thing. */
function* detectLoginPairs(text: string): Generator<Detection> {
  for (const match of text.matchAll(PAIR)) {
    const [start, end] = match.indices?.[2] ?? [0, 0];
    const value = text.slice(start, end).replace(/[.:*_\]}]+$/, '');
    const isUsual = USUAL_USER.test(match[1] ?? '') && /\d/.test(value) && isPassphrase(value, 'prose');
    if (isPlaceholder(value) || !(isUsual || looksMade(value))) continue;
    yield { start, end: start + value.length, type: 'API_KEY' };
  }
}

const BASIC = /["']?_?auth["']?\s{0,4}[:=]\s{0,4}["']?([A-Za-z0-9+/]{8,1024}={0,2})(?![\w+/=-])/dgi;
/** A user and a password (RFC 7617), of what can be seen. */
const USER_AND_PASSWORD = /^[^:\p{C}\s\uFFFD]{1,256}:[^\p{C}\uFFFD]{1,512}$/u;

/** `"auth": "..."` of Docker, `_auth=...` of npm: a user and a password in Base64. */
function* detectBasicAuth(text: string): Generator<Detection> {
  for (const match of text.matchAll(BASIC)) {
    const [start, end] = match.indices?.[1] ?? [0, 0];
    const decoded = Buffer.from(text.slice(start, end), 'base64').toString('utf8');
    if (USER_AND_PASSWORD.test(decoded)) yield { start, end, type: 'API_KEY' };
  }
}

/** Secrets in headers, behind users, in options and arguments of programs, and signatures of addresses. */
export function* detectOptionSecrets(text: string): Generator<Detection> {
  yield* detectLoginPairs(text);
  yield* detectBasicAuth(text);
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
