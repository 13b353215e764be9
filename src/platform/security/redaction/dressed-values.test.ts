// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates, as texts hold them.
import { describe, expect, it } from 'vitest';
import { detectSensitive } from './detect.js';
import { REDACTION_TYPES } from './detection.js';

const found = (text: string): string[] =>
  detectSensitive(text, new Set(REDACTION_TYPES)).map(
    ({ start, end, type }) => `${type} ${text.slice(start, end)}`,
  );

const CARD = '4111 1111 1111 1111';
const IBAN = 'DE89 3704 0044 0532 0130 00';
const PEM = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n'.repeat(20)}-----END PRIVATE KEY-----`;
const JWT = [
  'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkw',
  'IiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeK',
  'KF2QT4fwpMeJf36POk6yJV_adQssw5c',
];

describe('a value that is dressed up is found whole', () => {
  it.each([
    ['entities', 'EMAIL', 'jane&#46;doe&#x40;acme&period;example'],
    ['a named entity', 'EMAIL', 'jane.doe&commat;acme.example'],
    ['an escape of JavaScript', 'EMAIL', String.raw`jane.doe\u0040acme.example`],
    ['an escape in braces', 'EMAIL', String.raw`jane.doe\u{40}acme.example`],
    ['a hexadecimal escape', 'EMAIL', String.raw`jane.doe\x40acme\x2eexample`],
    ['an escape twice', 'EMAIL', String.raw`jane.doe\\u0040acme.example`],
    ['an address of a page', 'EMAIL', 'jane%2Edoe%40acme%2Eexample'],
    ['escapes of Markdown', 'EMAIL', String.raw`jane\_doe\@acme.example`],
    ['an entity that was escaped again', 'EMAIL', 'jane.doe&amp;#64;acme&amp;amp;period;example'],
    ['signs in words', 'EMAIL', 'jane.doe [at] acme (dot) example'],
    ['texts that are put together', 'EMAIL', 'jane.doe" + "@acme.example'],
    ['texts that PHP puts together', 'EMAIL', "jane.doe' . '@' . 'acme.example"],
    ['texts that SQL puts together', 'EMAIL', "jane.doe' || '@acme.example"],
    ['an account that is put together at a blank', 'IBAN', 'DE89 3704 0044 " + "0532 0130 00'],
    ['an account that is put together before a blank', 'IBAN', "DE89 3704 0044' . ' 0532 0130 00"],
    ['an escape of Perl', 'EMAIL', String.raw`jane.doe\x{40}acme.example`],
    ['an escape of Python', 'EMAIL', String.raw`jane.doe\U00000040acme.example`],
    ['Arabic digits', 'CREDIT_CARD', '٤١١١ ١١١١ ١١١١ ١١١١'],
    ['Thai digits', 'CREDIT_CARD', '๔๑๑๑๑๑๑๑๑๑๑๑๑๑๑๑'],
    ['low lines', 'CREDIT_CARD', '4111_1111_1111_1111'],
    ['commas in a card', 'CREDIT_CARD', '4111,1111,1111,1111'],
    ['dots in the middle', 'CREDIT_CARD', '4111 · 1111 · 1111 · 1111'],
    ['commas in a card of three groups', 'CREDIT_CARD', '3782,822463,10005'],
    ['texts that a template holds', 'EMAIL', 'jane.doe"}@${"acme.example'],
    ['texts that a template of Python holds', 'EMAIL', "jane.doe'}@{'acme.example"],
    ['a sign that a template holds', 'EMAIL', `jane.doe\${"@"}acme.example`],
    ['slashes in a card', 'CREDIT_CARD', '4111/1111/1111/1111'],
    ['a long name of an entity', 'EMAIL', 'jane@exa&ZeroWidthSpace;mple.com'],
    ['a longer name of an entity', 'EMAIL', 'jane@exa&NegativeVeryThinSpace;mple.com'],
    ['entities with digits in their names', 'EMAIL', 'jane&NoBreak;.doe&InvisibleComma;@acme.example'],
    ['an entity with leading zeros', 'EMAIL', 'jane.doe&#0000000064;acme&#x0000002e;example'],
    ['an entity that is not seen', 'EMAIL', 'jane@exa&#x200B;mple.com'],
    ['an entity of a tag character', 'EMAIL', 'jane@exa&#xE0041;mple.com'],
    ['tag characters', 'EMAIL', 'jane@exa\u{e0041}\u{e0042}mple.com'],
    ['selectors of variants', 'EMAIL', 'jane@exa\u{e0100}mple.com'],
    ['fillers of Hangul', 'EMAIL', 'jane@exa\u3164mple.com'],
    ['controls that are not seen', 'EMAIL', 'jane@exa\u0001mple\u009f.com'],
    ['marks of annotation', 'EMAIL', 'jane@exa\ufff9mple.com'],
    ['an ideographic full stop', 'EMAIL', 'jane@example\u3002com'],
    ['a half-width one', 'EMAIL', 'jane@mail\uff61example\uff61com'],
    ['a leader of one dot', 'EMAIL', 'jane@example\u2024com'],
    ['an ideographic full stop behind an entity', 'EMAIL', 'jane&commat;example\u3002com'],
    ['ideographic full stops', 'IP_ADDRESS', '192\u3002168\u300212\u30027'],
    ['slashes', 'IBAN', 'DE89/3704/0044/0532/0130/00'],
    ['slashes with blanks', 'IBAN', 'DE89 / 3704 / 0044 / 0532 / 0130 / 00'],
    ['low lines in an account', 'IBAN', 'DE89_3704_0044_0532_0130_00'],
    ['colons in an account', 'IBAN', 'DE89:3704:0044:0532:0130:00'],
    ['commas in an account', 'IBAN', 'DE89,3704,0044,0532,0130,00'],
    ['middle dots in an account', 'IBAN', 'DE89·3704·0044·0532·0130·00'],
    ['slashes in an account with letters', 'IBAN', 'GB29/NWBK/6016/1331/9268/19'],
    ['bullets in an account with letters', 'IBAN', 'GB29•NWBK•6016•1331•9268•19'],
    ['a soft hyphen', 'EMAIL', 'jane.d\u00adoe@ac\u00adme.example'],
    ['zero-width characters', 'EMAIL', 'ja\u200bne.doe@acme.exam\u200dple'],
    ['full-width letters', 'EMAIL', 'ｊａｎｅ．ｄｏｅ＠ａｃｍｅ．ｅｘａｍｐｌｅ'],
    ['letters of mathematics', 'EMAIL', '𝚓𝚊𝚗𝚎@𝚊𝚌𝚖𝚎.example'],
    ['tags', 'EMAIL', 'jane<b>.doe</b>@<wbr>acme.example'],
    ['a comment', 'EMAIL', 'jane.doe<!-- x -->@acme.example'],
    ['strong text', 'EMAIL', '**jane**.doe@acme.example'],
    ['blanks that do not break', 'CREDIT_CARD', '4111&nbsp;1111&nbsp;1111&nbsp;1111'],
    ['narrow blanks', 'IBAN', 'DE89\u202f3704\u202f0044\u202f0532\u202f0130\u202f00'],
    ['hyphens that do not break', 'CREDIT_CARD', '4111\u20111111\u20111111\u20111111'],
    ['full-width digits', 'CREDIT_CARD', '４１１１１１１１１１１１１１１１'],
    ['a zero-width blank', 'CREDIT_CARD', '4111\u200b1111\u200b1111\u200b1111'],
    ['tags in an account', 'IBAN', 'DE89 <b>3704</b> 0044 0532 0130 00'],
    ['tags in a telephone number', 'PHONE', '+49 <span class="n">30</span> 23125 044'],
    ['an entity for its plus', 'PHONE', '&plus;49 30 23125 044'],
    ['zero-width characters in a key', 'AWS_KEY', 'AKIA\u200bQWERTYUIOPASDFGH'],
    ['full-width dots', 'IP_ADDRESS', '192．168．12．7'],
    ['plain emphasis', 'IP_ADDRESS', '203.0.113.*146*'],
    ['emphasis by underscores', 'EMAIL', 'anna.kowal@_wisla_.example.com'],
    ['code', 'EMAIL', 'anna.kowal@`wisla.example.com'],
    ['a link', 'EMAIL', 'anna.kowal@[wisla.example](https://wisla.example)'],
    ['emphasis in an account', 'IBAN', 'DE89 3704 _0044 0532_ 0130 00'],
    ['emphasis in a card', 'CREDIT_CARD', '4111 1111 *1111* 1111'],
    ['emphasis of a dot', 'EMAIL', 'anna.kowal@wisla**.**example.com'],
    ['a longer key in emphasis', 'PRIVATE_KEY', PEM.replace('PRIVATE', '**PRIVATE**')],
    ['a longer key with entities', 'PRIVATE_KEY', PEM.replaceAll('PRIVATE KEY', 'PRIVATE&nbsp;KEY')],
    ['elements of an array', 'IBAN', 'DE89","3704", "0044",\n  "0532","0130","00'],
    ['items of a list', 'IBAN', 'DE89\n- 3704\n- 0044\n- 0532\n- 0130\n- 00'],
    ['emphasis in a telephone number', 'PHONE', '+1 (415) 555-_0132_'],
  ])('%s', (_, type, value) => {
    const shown = value.replace(/^\*\*/, '').replace(/[*_]$|\]\(\S+\)$/, '');
    expect(found(`See: ${value} or ask.`)).toEqual([`${type} ${shown}`]);
  });
});

describe('a value over the end of a line or cell is found whole', () => {
  it.each([
    ['an account', 'IBAN', 'DE89 3704 0044\n0532 0130 00'],
    ['an account in a quotation', 'IBAN', 'DE89 3704 0044 0532\n> 0130 00'],
    ['an account in a comment', 'IBAN', 'DE89 3704 0044 0532\n// 0130 00'],
    ['an account whose last digits are left', 'IBAN', 'DE89 3704 0044 0532 0130\r\n00'],
    ['an account in one piece', 'IBAN', 'DE8937040044053\n2013000'],
    ['cells of an account', 'IBAN', 'DE89 | 3704 0044 | 0532 0130 00'],
    ['cells of an account on two rows', 'IBAN', 'DE89 3704 0044 |\n| | 0532 0130 00'],
    ['cells of HTML', 'IBAN', 'DE89 3704</td>\n  <td>0044 0532 0130 00'],
    ['a break of HTML', 'IBAN', 'DE89 3704 0044<br/>0532 0130 00'],
    ['an escaped end of a line', 'IBAN', String.raw`DE89 3704 0044\n0532 0130 00`],
    ['a card', 'CREDIT_CARD', '4111 1111\n1111 1111'],
    ['a card with hyphens', 'CREDIT_CARD', '4111-1111-\n1111-1111'],
    ['a card in one piece', 'CREDIT_CARD', '4111 1111 1111\n1111'],
    ['a dressed card', 'CREDIT_CARD', '4111&nbsp;1111<br>1111&nbsp;1111'],
    ['an account in quoted-printable text', 'IBAN', 'DE89370400440=\r\n532013000'],
    ['an address in quoted-printable text', 'EMAIL', 'jane.doe@acme.=\nexample'],
    ['an address behind its sign', 'EMAIL', 'jane.doe@\nacme.example'],
    ['an address before its sign', 'EMAIL', 'jane.doe\n@acme.example'],
    ['a hard break of Markdown', 'EMAIL', 'anna.kowal@wisla.\\\nexample.com'],
    ['a comment of SQL', 'EMAIL', 'anna.kowal@\n-- wisla.example.com'],
    ['a comment of Rust', 'EMAIL', 'anna.kowal@\n/// wisla.example.com'],
    ['a comment of Lisp', 'EMAIL', 'anna.kowal@\n;; wisla.example.com'],
    ['an account over a hard break', 'IBAN', 'DE89 3704 0044\\\n0532 0130 00'],
    ['an IPv6 address', 'IP_ADDRESS', '2001:db8:85a3:0:0:8a2e:\n370:7334'],
    ['a domain behind a dot', 'EMAIL', 'jane.doe@acme.\nexample'],
    ['a domain before a dot', 'EMAIL', 'jane.doe@acme\n.example'],
    ['a name behind a hyphen', 'EMAIL', 'jane.doe-\nsmith@acme.example'],
    ['cells of an address', 'EMAIL', 'jane.doe@ | acme.example'],
    ['an address of a host', 'IP_ADDRESS', '192.168.\n112.7'],
    ['an address of a host before a dot', 'IP_ADDRESS', '192.168\n.112.7'],
    ['a token', 'JWT', JWT.join('\n')],
    ['a token in a quotation', 'JWT', JWT.join('\r\n> ')],
    ['a token with hard breaks', 'JWT', JWT.join('\\\n')],
    ['a token at its dots', 'JWT', JWT.join('').replaceAll('.', '.\n  ')],
    ['a telephone number with its country', 'PHONE', '+49 171\n555 2341'],
    ['a telephone number with a trunk prefix', 'PHONE', '+49 (0) 171 /\n555-23-41'],
    ['a telephone number behind 00', 'PHONE', '0049 30\n    23125 044'],
    ['a telephone number in a quotation', 'PHONE', '+1 415\n> 555 0132'],
    ['a telephone number in a comment', 'PHONE', '+49 30\n// 23125 044'],
    ['a telephone number with a break of HTML', 'PHONE', '+49 30<br>23125 044'],
  ])('%s', (_, type, value) => {
    expect(found(`See: ${value} or ask.`)).toEqual([`${type} ${value}`]);
  });

  it.each([
    ['Tel.: 030 23125\n044', '030 23125\n044'],
    ['call (415)\n555-0132', '(415)\n555-0132'],
    ['call 415-555-\n0132', '415-555-\n0132'],
    ['Mobil: 0171-\n5552341', '0171-\n5552341'],
    ['tél. 01 99 00\n41 27', '01 99 00\n41 27'],
  ])('finds a telephone number of its country behind its name: %j', (text, value) => {
    expect(found(`${text} or ask.`)).toEqual([`PHONE ${value}`]);
  });

  it('finds a card in cells below its name', () => {
    expect(found('| card | | | |\n|---|---|---|---|\n| 4111 | 1111 | 1111 | 1111 |')).toEqual([
      'CREDIT_CARD 4111 | 1111 | 1111 | 1111',
    ]);
  });
});

describe('a token keeps the underscores that are its own', () => {
  const BODY = 'Xk29vBq7Lz4mTn8Rw3Yc6Hd1Jf5Gs0PaQeUi';

  it.each([
    ['an escaped one', 'GITHUB_TOKEN', `ghp\\_${BODY}`],
    ['one that was escaped again', 'GITHUB_TOKEN', `ghp\\\\_${BODY}`],
    ['two escaped ones', 'API_KEY', `sk\\_live\\_51Hc${BODY}`],
    [
      'escaped ones in its middle',
      'GITHUB_TOKEN',
      `github\\_pat\\_${BODY.slice(0, 22)}\\_${BODY}${BODY.slice(0, 23)}`,
    ],
    ['one of a registry', 'API_KEY', `npm\\_${BODY}`],
    ['one of a hub', 'API_KEY', `hf\\_${BODY}`],
    ['one before a tag', 'GITHUB_TOKEN', `ghp_<wbr>${BODY}`],
    ['one behind a tag', 'GITHUB_TOKEN', `ghp<wbr>_${BODY}`],
    ['one in a tag', 'GITHUB_TOKEN', `ghp<b>_</b>${BODY}`],
    ['one before a character that is not seen', 'GITHUB_TOKEN', `ghp_\u200b${BODY}`],
    ['one behind strong text', 'GITHUB_TOKEN', `gh**p**_${BODY}`],
  ])('%s', (_, type, value) => {
    expect(found(`See: ${value} or ask.`)).toEqual([`${type} ${value}`]);
  });
});

it.each([
  ['${4111}-${1111}-${1111}-${1111}', '4111}-${1111}-${1111}-${1111'],
  ['{{4111}} {{ 1111 }} {{1111}} {{1111}}', '4111}} {{ 1111 }} {{1111}} {{1111'],
  ['<%= 4111 %> <%= 1111 %> <%= 1111 %> <%= 1111 %>', '4111 %> <%= 1111 %> <%= 1111 %> <%= 1111'],
  ['["4111", "1111", "1111", "1111"]', '4111", "1111", "1111", "1111'],
  ['id,card\n7,4111111111111111.0\n', '4111111111111111'],
  ['{"card": 4111111111111111.00}', '4111111111111111'],
  ['7,4111111111111111,12/27', '4111111111111111'],
])('finds a card as a template, an array or a table has it: %s', (text, value) => {
  expect(found(text)).toEqual([`CREDIT_CARD ${value}`]);
});

describe('a card with wide gaps is found', () => {
  it.each([
    '4111  1111  1111  1111',
    '4111\t1111\t1111\t1111',
    '3782  822463  10005',
    '4111\u2003\u20031111\u2003\u20031111\u2003\u20031111',
    '4111&nbsp;&nbsp;1111&nbsp;&nbsp;1111&nbsp;&nbsp;1111',
    '4111\t\t1111\t\t1111\t\t1111',
    '4111     1111     1111     1111',
    '4111 - 1111 - 1111 - 1111',
    '4111 \u00a01111 \u00a01111 \u00a01111',
  ])('%j', (card) => {
    expect(found(`Paid by ${card} today`)).toEqual([`CREDIT_CARD ${card}`]);
  });

  it('and an account', () => {
    expect(found('To DE89\t3704  0044\t0532\t0130\t00 today')).toEqual([
      'IBAN DE89\t3704  0044\t0532\t0130\t00',
    ]);
  });

  it('and columns of numbers are none', () => {
    expect(found('4111\t1111\t1111\t1111\t1200')).toEqual([]);
    expect(found('1200  4111  1111  1111  1111')).toEqual([]);
  });
});

it('finds an account that its name stands right before', () => {
  expect(found('IBANDE89370400440532013000')).toEqual(['IBAN DE89370400440532013000']);
});

it.each([
  ['Password&#58; Zitrone#4711!quer', 'Zitrone#4711!quer'],
  ['ｐａｓｓｗｏｒｄ：Zitrone#4711!quer', 'Zitrone#4711!quer'],
  ['password: *Zitrone#4711!quer*', 'Zitrone#4711!quer'],
])('finds a password whose name is dressed up: %s', (text, value) => {
  expect(found(text)).toEqual([`API_KEY ${value}`]);
});

describe('what stands beside a break or a dressing is no part of a value', () => {
  it.each([
    [`Call the office.\njane@acme.example knows.`, ['EMAIL jane@acme.example']],
    [`Ask jane@acme.example.\nthe others are away.`, ['EMAIL jane@acme.example']],
    [`${CARD}\n2024 was better`, [`CREDIT_CARD ${CARD}`]],
    ['+49 30 23125 044\n12 pieces', ['PHONE +49 30 23125 044']],
    ['+44 20 7946 0958\n2024 was better', ['PHONE +44 20 7946 0958']],
    ['@@ -10,7 +10,9 @@\n+49\n+1234567', []],
    ['+5\n12345678', []],
    ['call 10\n20 30 40 50', []],
    ['contact us in 2019\n10 days', []],
    ['1. Call the office\n2. Wait 10\n3. 2024-10-10', []],
    [`${IBAN}\n12 pieces`, [`IBAN ${IBAN}`]],
    ['import os.path\n@app.route("/")\ndef index():', []],
    ['| 4532 | 1488 | 0343 | 6467 |', []],
    ['10.14.\n2. Upgrade to 3.4.5', []],
    ['2019\n2020\n2021\n2022', []],
    ['<b>Mail:</b> jane@acme.example', ['EMAIL jane@acme.example']],
    [`Masked: 4111 **** **** 1111`, []],
    ['a \\@Override and C:\\_work\\file.txt', []],
    ['see foo@bar.\nThe next sentence', []],
    ['Ask jane@acme.example\u3002Then wait', ['EMAIL jane@acme.example']],
    ['Ask jane@acme.example\u3002then wait', ['EMAIL jane@acme.example']],
    ['\u5199\u4fe1\u7ed9jane@acme.example\u3002\u8c22\u8c22', ['EMAIL jane@acme.example']],
    ['DE89/2019/2020/2021/2022/23', []],
    ['DE12:2019:2020:2021:2022:23', []],
    ['["4111", "1111", "1111", "1111", "2024"]', []],
    ['0,4111111111111111', []],
    ['4111111111111111.05', []],
    [`${JWT.join('')}\nNext`, [`JWT ${JWT.join('')}`]],
    [`${JWT.join('').slice(0, -3)}\nNext`, [`JWT ${JWT.join('').slice(0, -3)}`]],
  ])('%j', (text, values) => {
    expect(found(text)).toEqual(values);
  });
});

it('more groups with commas than a card has are numbers side by side', () => {
  expect(found('4111,1111,1111,1111,2024')).toEqual([]);
  expect(found('14,4111,1111,1111,1111')).toEqual([]);
});
