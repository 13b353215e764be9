// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to a variable, as texts write them.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { detectSensitive } from './detect.js';

const API_KEY = new Set(['API_KEY'] as const);

const found = (text: string): string[] =>
  detectSensitive(text, API_KEY).map(({ start, end }) => text.slice(start, end));

describe('a secret is found under the heading of its column', () => {
  it.each([
    ['Markdown', '| user | password |\n|---|---|\n| admin | hunter2 |\n| jane | qwertz!123 |\n\nnext'],
    ['Markdown without outer bars', 'user | password\n--- | ---\nadmin | hunter2\njane | qwertz!123'],
    [
      'Markdown in a quotation',
      '> | user | password |\n> |---|---|\n> | admin | hunter2 |\n> | jane | qwertz!123 |',
    ],
    [
      'a heading in strong text',
      '| **Password** | User |\n|:--|--:|\n| `hunter2` | a |\n| **qwertz!123** | b |',
    ],
    [
      'a heading of several words',
      '| DB password (initial) | x |\n|---|---|\n| hunter2 | a |\n| qwertz!123 (old) | b |',
    ],
    ['a heading in German', '| Benutzer | Kennwort |\n|---|---|\n| anna | hunter2 |\n| jan | qwertz!123 |'],
    [
      'a heading in Japanese',
      '| ユーザー | パスワード |\n|---|---|\n| taro | hunter2 |\n| jiro | qwertz!123 |',
    ],
    [
      'HTML',
      '<table><tr><th>User</th><th>Password</th></tr><tr><td>a</td><td>hunter2</td></tr><tr><td>b</td><td><code>qwertz!123</code></td></tr></table>',
    ],
    [
      'HTML over many lines',
      '<TABLE>\n<thead>\n<tr>\n<th scope="col">Password</th>\n<th>User</th>\n</tr>\n</thead>\n<tr>\n<td>hunter2\n<td>a\n<tr>\n<td class="x">qwertz!123\n<td>b\n</TABLE>',
    ],
    [
      'a grid of reStructuredText',
      '+---+----------+\n| u | password |\n+===+==========+\n| a | hunter2  |\n+---+----------+\n| b | qwertz!123 |\n+---+----------+',
    ],
    [
      'a simple table of reStructuredText',
      '=====  ==========\nUser   Password\n=====  ==========\nadmin  hunter2\n\n       qwertz!123\n=====  ==========',
    ],
    ['a table of Pandoc', 'Password    User\n----------  ----\nhunter2     a\nqwertz!123  b\n\nnext1 line'],
    ['AsciiDoc', '|===\n|User |Password\n\n|admin |hunter2\n|jane |qwertz!123\n|==='],
    ['psql', ' user | password \n------+----------\n a    | hunter2\n b    | qwertz!123\n(2 rows)'],
    ['MySQL', '+---+----+\n| u | pw |\n+---+----+\n| 1 | hunter2 |\n| 2 | qwertz!123 |\n+---+----+'],
    ['commas', 'user,password,note\nadmin,hunter2,x\njane,qwertz!123,\n'],
    ['semicolons', 'password;user\r\nhunter2;admin\r\nqwertz!123;jane\r\n'],
    ['tabs', 'user\tpassword\nadmin\thunter2\njane\tqwertz!123\n'],
    ['quoted fields', '"user","password"\n"ad""min","hunter2"\n"jane","qwertz!123"\n'],
    ['a record of another length', ',user,password\n0,a,hunter2\n1,b\n2,c,qwertz!123\n'],
    [
      'Confluence',
      '<table><tbody><tr><th><p>User</p></th><th><p>Password</p></th></tr><tr><td><p>a</p></td><td><p>hunter2</p></td></tr><tr><td><p>b</p></td><td><p>qwertz!123</p></td></tr></tbody></table>',
    ],
    [
      'a heading that says of what',
      '| User | Passwort für Tests |\n|---|---|\n| a | hunter2 |\n| b | qwertz!123 |',
    ],
    ['a field over two lines', 'id,note,password\n1,"two\nlines",hunter2\n2,x,qwertz!123\n'],
  ])('%s', (_, text) => {
    expect(found(text)).toEqual(['hunter2', 'qwertz!123']);
  });

  it('a key, too', () => {
    const key = '9f8e7d6c5b4a39281706f5e4d3c2b1a0';
    expect(found(`| Service | API key |\n|---|---|\n| mail | ${key} |\n| log | none |`)).toEqual([key]);
  });

  it('up to the end of its table', () => {
    expect(found('| a | password |\n|---|---|\n| b | hunter2 |\n\n| c | quer4711 |')).toEqual(['hunter2']);
    expect(found('a,password\nb,hunter2\nc,d,quer4711\n')).toEqual(['hunter2']);
  });

  it.each([
    ['| name | password |\n|---|---|\n| a | required |\n| b | yes |\n| c | string |\n| d | |\n| e | - |'],
    [
      '| name | password |\n|---|---|\n| a | ******** |\n| b | `<your password>` |\n| c | ${PASSWORD} |\n| d | $PW1 |',
    ],
    [
      '| rule | password |\n|---|---|\n| length | 8-64 |\n| age | 90d |\n| hash | SHA-256 |\n| kept in | 1Password |\n| set | 2024-01-01 |',
    ],
    [
      '| what | password |\n|---|---|\n| column | varchar(255) |\n| edit | Read-Only |\n| by | jane.doe |\n| at | host1.example:80 |',
    ],
    ['| password reset | user |\n|---|---|\n| abc123x | jane |'],
    ['| Tokens | Cost |\n|---|---|\n| 128000 | 3 |'],
    [
      '<table><tr><th>Name</th><th>Password</th></tr><tr><td>a</td><td>required</td></tr><tr><td>b</td><td></td></tr></table>',
    ],
    ['user,password\nstring,required\n'],
    ['user, password, role\nadmin1 and, others2\n'],
    ['f(user, password,\n  host1, port2,\n'],
  ])('but nothing that is none: %s', (text) => {
    expect(found(text)).toEqual([]);
  });

  const word = fc.stringMatching(/^[a-z]{3,8}$/);
  const secret = fc.stringMatching(/^[a-z]{3}\d{2}[A-Z]{2}[!#?][a-z]{2}$/);
  const table = fc.record({
    before: fc.array(word, { minLength: 1, maxLength: 3 }),
    behind: fc.array(word, { maxLength: 2 }),
    secrets: fc.array(secret, { minLength: 1, maxLength: 6 }),
  });
  const pipes = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const html = (cells: readonly string[]): string =>
    `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  it.each([
    {
      kind: 'Markdown',
      write: ([head = [], ...rows]: readonly string[][]): string =>
        [pipes(head), pipes(head.map(() => '---')), ...rows.map(pipes)].join('\n'),
    },
    {
      kind: 'HTML',
      write: (rows: readonly string[][]): string => `<table>\n${rows.map(html).join('\n')}\n</table>`,
    },
    {
      kind: 'CSV',
      write: (rows: readonly string[][]): string => rows.map((row) => row.join(',')).join('\n'),
    },
    {
      kind: 'TSV',
      write: (rows: readonly string[][]): string => rows.map((row) => row.join('\t')).join('\r\n'),
    },
  ])('in any table of $kind, and nothing beside it', ({ write }) => {
    fc.assert(
      fc.property(table, ({ before, behind, secrets }) => {
        const rows = [
          [...before, 'password', ...behind],
          ...secrets.map((value) => [...before, value, ...behind]),
        ];
        expect(found(`Accounts:\n\n${write(rows)}\n\nThe end.`)).toEqual(secrets);
      }),
      { numRuns: 100 },
    );
  });
});

describe('a secret is found below its label and in the cell behind it', () => {
  it.each([
    ['a colon', 'Password:\nhunter2\n'],
    ['a blank line', 'Password:\n\n        hunter2\n'],
    ['a hard break', '**Password:**\\\nhunter2'],
    ['the end of a sentence', 'Log in with this initial password:\n\n    hunter2\n'],
    ['a heading', '### Password\nhunter2\n'],
    ['a heading closed', '#### Admin password ####\n\n`hunter2`\n'],
    ['a heading with a line under it', 'Password\n--------\n\nhunter2\n'],
    ['a heading of AsciiDoc', '== Password ==\nhunter2'],
    ['strong text', '**Initial password**\n\n> hunter2'],
    ['a verb', 'The password is:\n\n    hunter2\n'],
    ['a colon in French', 'Mot de passe :\nhunter2'],
    ['a heading that says of what', '### Password for the staging database\n\nhunter2'],
    ['a term of reStructuredText', 'Password\n    hunter2\n'],
    ['a fence', '### Password\n\n```text\nhunter2\n```\n'],
    ['an item', '- Password:\n  - hunter2\n'],
    ['an item that goes on', '- Password\n\n  hunter2\n'],
    ['a definition of Markdown', 'Password\n: hunter2\n'],
    ['a definition of HTML', '<dl>\n  <dt>DB password</dt>\n  <dd><code>hunter2</code></dd>\n</dl>'],
    ['a heading of HTML', '<h3>Password</h3>\n<p>hunter2</p>'],
    ['a break of HTML', '<p>Password:<br>hunter2</p>'],
    ['a cell of HTML', '<tr><th>Password:</th><td class="x">hunter2</td></tr>'],
    ['a property list', '<key>password</key>\n<string>hunter2</string>'],
    ['a folded block of YAML', 'db:\n  password: >-\n    hunter2\n  user: x'],
    ['a literal block of YAML', '- password: | # comment\n    hunter2\n- user: x'],
    ['a value on the next line of YAML', 'password:\n  hunter2\n'],
    ['name and value', '- name: DB_PASSWORD\n  value: hunter2\n'],
    ['name and value in JSON', '{"name": "DB_PASSWORD", "value": "hunter2"}'],
    ['name and default', '- name: DB_PASSWORD\n  default: hunter2\n'],
    ['Terraform', 'variable "db_password" {\n  type = string\n  default     = "hunter2"\n}'],
    [
      'Terraform with a block before it',
      'variable "db_password" {\n  validation {\n    condition = true\n  }\n  default = "hunter2"\n}',
    ],
    ['a cell', '| Setting | Value |\n|---|---|\n| **Password** | hunter2 |\n| User | admin1 |'],
    ['a pair of commas', 'key,value\npassword,hunter2\n'],
    ['MySQL', "CREATE USER 'app'@'%'\n  IDENTIFIED BY 'hunter2';"],
    ['MySQL with a plugin', "ALTER USER app IDENTIFIED WITH mysql_native_password BY 'hunter2';"],
    ['MySQL in a function', "SET PASSWORD FOR 'u'@'h' = PASSWORD('hunter2');"],
    ['Oracle', 'alter user scott identified by hunter2;'],
    ['PostgreSQL', "CREATE ROLE app LOGIN ENCRYPTED PASSWORD   'hunter2';"],
    ['SQL Server', "CREATE LOGIN x WITH PASSWORD = N'hunter2';"],
    ['.netrc', 'machine example.com login jane password hunter2'],
    ['.netrc over lines', 'machine example.com\n  login jane\n  password hunter2\n'],
  ])('%s', (_, text) => {
    expect(found(text)).toEqual(['hunter2']);
  });

  it('in all lines of a block of YAML', () => {
    expect(found('token: |-\n  9f8e7d6c5b4a3928\n  1706f5e4d3c2b1a0\nuser: x1')).toEqual([
      '9f8e7d6c5b4a3928\n  1706f5e4d3c2b1a0',
    ]);
  });

  it('a word that a statement sets', () => {
    expect(found("CREATE USER app IDENTIFIED BY 'geheim';")).toEqual(['geheim']);
  });

  it('in every cell of a row of them', () => {
    expect(found('| | staging | live |\n|---|---|---|\n| Password | hunter2 | quer4711 |')).toEqual([
      'hunter2',
      'quer4711',
    ]);
    expect(found('| Password | hunter2 | set in 2024x |')).toEqual(['hunter2']);
  });

  it('in a line that says more only what looks made', () => {
    expect(found('Password:\nZitrone#4711!quer, please change it')).toEqual(['Zitrone#4711!quer']);
    expect(found('Password:\nuser2 has it')).toEqual([]);
  });

  it('below a bare word only what looks made', () => {
    expect(found('Password\nZitr0ne#4711\n')).toEqual(['Zitr0ne#4711']);
    expect(found('Password\nuser2\n')).toEqual([]);
  });

  it.each([
    'Password: must have twelve characters',
    'Password:\nmust have 12 characters',
    'Password:\nUsername:\n',
    'Password:\n\n- at least 12 characters\n- one digit1\n',
    'Password:\n********\n',
    'Password:\n{{ vault_pw1 }}\n',
    'Password:\nhttps://example.com/a1\n',
    'Password:\n![img1](a.png)\n',
    '## Passwords\nThey must be long and have 12 characters.',
    '## Passwords\n\nWelcome!\n',
    '### Password\n\n<your password>\n',
    '### Password\n\n${PASSWORD}\n',
    '### Password\n\nHash: SHA-256\n',
    '## Token\n\nTokenRequestV1beta1\n',
    '## Secret\n\n```yaml\napiVersion: v1\n```\n',
    '<dt>Password</dt><dd>The password of the user, 8 characters.</dd>',
    '<td>Password</td><td>See page2 for it</td>',
    '<th>Password</th><th>OAuth2</th>',
    '<input type="password">\n<input2>',
    'DB_PASSWORD=\nAPI_V2=1\n',
    'password:\n  type: string\n  length: 12\n',
    'password: >-\n  must have 12 characters\n  or more\n',
    'script: |\n  password1\n',
    'case "password":\n  return foo1;',
    'if (password)\n  foo2();',
    'const token =\n  config.value1;',
    'const {\n  password,\n  user2,\n} = x',
    '| field | type | description |\n|---|---|---|\n| password | string | at least 8 characters |',
    '| QS1_PASS | QS2_PASS |',
    "CREATE USER app IDENTIFIED BY '${DB_PASSWORD}';",
    "-- create table: rows are identified by the key 'id1'",
    'the request user, identified by `request.userInfo2`',
    'login with password authentication',
    'Password for the user must be set\nfoo1bar2\n',
    'The password is\nchecked against SHA-256 hashes.',
    'The password of user\nadmin1 was reset',
    'at IDBClient.getTruststorePassword(IDBClient.java:104)',
    'lastly keep it in 1Password',
    'variable "db_password" {\n  type = string\n}\nvariable "region" {\n  default = "hunter2"\n}',
    'variable "db_password" {\n  default = var.other1\n}',
  ])('but nothing that is none: %j', (text) => {
    expect(found(text)).toEqual([]);
  });
});
