import { describe, expect, test } from 'vitest';
import { withholdText } from '../resources/withheld-fields.js';

const NAMES = ['salary_band', 'customer'];
const left = (
  text: string,
  form: { mediaType?: string; calledBy?: string[]; separator?: string } = {},
): string => withholdText(text, NAMES, { isConverted: false, ...form })?.text ?? text;
const JAVA = { mediaType: 'text/x-source.java' };
const PYTHON = { mediaType: 'text/x-source.python' };
const SQL = { mediaType: 'text/x-source.other', calledBy: ['a.sql'] };

describe('a name of several words in prose', () => {
  test.each([
    'V is the salary band of Ann. ',
    'The salary band of Dr. Lee is V, as agreed. ',
    'The salary_band_code of Ann is V7. ',
    'We asked for getSalaryBand, which said V7. ',
    'Her SALARY-BAND, as we\nhave agreed, is V7. ',
    'The salary band is high (V). ',
    '| Ann | the salary band is V |\n',
    '- Ann: V, by salary band.\n',
    'Ann;salary band;V\n',
    'Q: What is the salary band of Ann?\nA: It is V.\n\n',
    'What is the salary band of Ann? It is V.\n\n',
    "# What is Ann's salary band?\n\nV, as agreed.\nV.\n\n",
    "Ann's salary band\n-----------------\n\nV, as agreed.\n\n",
    "**What is Ann's salary band?**\n\nV, as agreed.\n\n",
    'The salary bands of all are these:\n\n- Ann: V\n- Bob: V\n\n',
    'The old salary band of Ann: V\n\n',
    '| Name | Current salary band |\n|---|---|\n| Ann | V |\n\n',
    'name,salary_band,place\nAnn,V,Rome\n\n',
    '**Salary band of Ann**\n\nV\n\n',
    '- Salary band of Ann\n  - V\n\n',
    'Salary band of Ann\n: V\n\n',
    '<details><summary>What is the salary band of Ann?</summary>\nV\n</details>\n\n',
    '<currentSalaryBand>V</currentSalaryBand>\n\n',
    '<p>V is the <b>salary</b> band of Ann.</p>\n',
  ])('takes the sentence with it, and no other: %j', (said) => {
    const kept = left(
      `It is kept. ${said.startsWith('The') || said.startsWith('V') ? '' : '\n\n'}${said}They are kept, too.\n`,
    );
    expect(kept).not.toContain('V');
    expect(kept).toContain('It is kept.');
    expect(kept).toContain('They are kept, too.');
  });

  test.each([
    'U.S. Staff',
    'a Ph.D. Student',
    'no. 4',
    'Nr. 5',
    'Abs. 3',
    'Lee & Co. London',
    'those at 9 a.m. on Monday',
    'Yahoo! Inc',
    'ASP. NET',
    '1. May',
    '"Senior." Staff',
    '"Wow!"',
    'him (see above.)',
    'those...',
    'those …',
    'U.S. Staff at Lee & Co. London',
  ])('takes the sentence where a mark in it may end none: %j', (said) => {
    for (const text of [`The salary band of ${said} is V7.`, `They pay V7 to ${said}, as salary band.`])
      expect(left(`IT IS KEPT. ${text} It stays, too.\n`).trimEnd()).toMatch(
        /^IT IS KEPT\. +It stays, too\.$/,
      );
  });

  test.each(['is high.', 'is V7.', 'is high (see V).', 'is 1200.', 'is *high*.', 'is it high?'])(
    'ends where that is certain: %j',
    (said) => {
      const kept = left(`It is kept. The salary band ${said} Others stay.\n`);
      expect(kept).toContain('It is kept.');
      expect(kept.includes('Others stay.')).toBe(!said.endsWith('?'));
    },
  );

  test.each(['- Ann: V\n- Bob: V\n', '1. Ann\n   - V\n2. Bob\n\n   V\n', 'V\n', '| V | V |\n'])(
    'takes what stands below a colon behind other sentences: %j',
    (below) => {
      for (const said of ['Salary bands:', 'The salary bands are:', '**Salary band:**']) {
        const kept = left(`It is kept. ${said}\n\n${below}\nMore.\n`);
        expect(kept).not.toContain('V');
        expect(kept).toMatch(/^It is kept\.[\s\S]*\nMore\.\n$/);
      }
    },
  );

  test.each([
    '- salary_band\n- place\n',
    '## Salary band\n\n## Others\n',
    'A salary banding is B7.\n',
    '{"sortBy": "salary_band", "x": "V", "value": "V"}\n',
    '{"sort": {"key": "place"}, "orderBy": "salary_band", "label": "V"}\n',
    '```json\n{"required":["salary_band"]}\n```\n',
    '```json\n{"required":["name","salary_band"],"x":"V"}\n```\n',
  ])('that stands alone says nothing: %j', (text) => {
    expect(left(text)).toBe(text);
  });

  test('leaves records of JSON in a fence valid', () => {
    const kept = left('```json\n{"a": 1, "salary_band": "V", "note": "the salary band is V", "b": 2}\n```\n');
    expect(JSON.parse(kept.split('\n')[1] ?? '')).toEqual({ a: 1, b: 2 });
  });

  test.each([
    { note: 'V is the salary band of Ann' },
    { salary_band_code: 'V' },
    { currentSalaryBand: ['V'] },
    { x: { title: 'Salary band of Ann', value: 'V' } },
    { list: [{ q: 'What is the salary band of Ann?', a: 'V' }] },
  ])('goes from members of records: %j', (record) => {
    const kept = left(JSON.stringify({ a: 'kept', ...record }), { mediaType: 'application/json' });
    expect(kept).not.toContain('V');
    expect(JSON.parse(kept)).toMatchObject({ a: 'kept' });
  });

  test.each([
    'a,b\nc,kept\n\nPay of 2024\nname,salary_band\nAnn,V\n',
    'a,b\nc,kept\n\n# Pay, 2024\nname,salary_band\nAnn,V\n',
    'a,b\nc,kept\nd,e\nname,salary_band\nAnn,V\nBob,V\n',
    'a,b\nc,kept\nd,"V is the salary band of Ann"\n',
  ])('goes where a table names it again: %j', (text) => {
    const kept = left(text, { separator: ',' });
    expect(kept).not.toContain('V');
    expect(kept).toContain('c,kept');
  });
});

describe('a name of several words in code', () => {
  test.each([
    ['log("V", p.getSalaryBand());\n', JAVA],
    ['"V"\n  .equals(p.getSalaryBand());\n', JAVA],
    ['log(\n  "V",\n  p.getSalaryBand()\n);\n', JAVA],
    ['class SalaryBand {\n  String x = "V";\n  int y;\n}\n', JAVA],
    ['enum SalaryBand { V, W }\n', JAVA],
    ['String getSalaryBand() {\n  return a("V");\n}\n', JAVA],
    ['switch (p.salaryBand) {\n  case "V": one();\n}\n', JAVA],
    ['put("salary_band", of("V"));\n', JAVA],
    ['p.setSalaryBand(V);\n', JAVA],
    ['String csv = "name,salary_band\\n" +\n  "Ann,V\\n";\n', JAVA],
    ['x = f("V"); // the salary band\n', JAVA],
    ['add(Map.of("kind", "salary_band",\n  "v", "V"));\n', JAVA],
    ['df = DataFrame([["Ann", "V"]], columns=["name", "salary_band"])\n', PYTHON],
    ['df = DataFrame(\n  [["Ann", "V"]],\n  columns=["name", "salary_band"],\n)\n', PYTHON],
    ['rows = [\n  ["Ann", "V"],\n]\ndf = DataFrame(rows, columns=["name", "salary_band"])\n', PYTHON],
    ['csv = """\nname,salary_band\nAnn,V\n"""\n', PYTHON],
    ['def salary_band(self):\n  return "V"\n', PYTHON],
    ['if key == "salary_band":\n  x = "V"\n', PYTHON],
    ['x = {"kind": "salary_band",\n  "v": "V"}\n', PYTHON],
    ['SQL = "INSERT INTO p (name, salary_band) VALUES (?, ?)"\ndb.execute(SQL, ("Ann", "V"))\n', PYTHON],
    ['cols = ["name", "salary_band"]\nrows = [["Ann", "V"]]\nmake(cols, rows)\n', PYTHON],
    ['# salary band\nx = "V"\n', PYTHON],
    ['@pytest.mark.parametrize("name,salary_band", [\n  ("Ann", "V"),\n])\ndef test():\n  pass\n', PYTHON],
    ['class Ann(SalaryBandMixin):\n  x = "V"\n', PYTHON],
    ['@Column(name = "salary_band")\nString x = "V";\n', JAVA],
    ["INSERT INTO p (name, salary_band)\nSELECT 'Ann', 'V'\nUNION ALL\nSELECT 'Bob', 'V';\n", SQL],
    ["SELECT * FROM (VALUES ('Ann', 'V')) AS t(name, salary_band);\n", SQL],
    ["SELECT * FROM (VALUES\n  ('Ann', 'V')\n) AS t(name, salary_band);\n", SQL],
    ['Given people\n  | name | salary band |\n  | Ann  | V |\n', { calledBy: ['a.feature'] }],
    ['Given people\n  | Ann  | salary band | V |\n', { calledBy: ['a.feature'] }],
  ])('takes the statement with it: %j', (said, form) => {
    for (const fenced of [false, true]) {
      const code = `one("kept")\n\n${said}\ntwo("kept")\n`;
      const language = form === JAVA ? 'java' : form === PYTHON ? 'python' : form === SQL ? 'sql' : 'gherkin';
      const kept = fenced ? left(`\`\`\`${language}\n${code}\`\`\`\n`) : left(code, form);
      expect(kept).not.toMatch(/\bV\b/);
      expect(kept).toContain('one("kept")');
      expect(kept).toContain('two("kept")');
    }
  });

  test.each([
    'let a = p.salaryBand;\n',
    'if (p.salaryBand) {\n  one();\n}\n',
    'return people.map((each) => each.salaryBand);\n',
    'select(p.name, p.salary_band)\n',
    '[SalaryBand]\npublic class A { String x = "kept"; }\n[B]\n',
  ])('stays where no literal is in it: %j', (text) => {
    expect(left(text, { mediaType: 'text/x-source.csharp' })).toBe(text);
  });

  test('takes no block below a parameter', () => {
    const body = '  one("kept");\n}\n';
    expect(left(`function raise(name, salaryBand) {\n${body}`, JAVA)).toContain(body);
  });

  test.each([
    '[salary_band]\nx = V\n',
    '[[pay.salary_band]]\nx = V\n',
    'salary_band:\n  x: V\n',
    'salary_band = {\n  x: V }\n',
    'd["salary_band"] = {\n  x: V }\n',
    '  name salary_band\n0  Ann V\n',
    '$ hr get salary_band\nV\n',
  ])('takes what stands below it in data: %j', (text) => {
    expect(left(`\`\`\`\n${text}\`\`\`\n`)).not.toContain('V');
  });
});

describe('a name of one word', () => {
  test.each(['customer: V', 'customer = V', 'The customer is "V"', '"customer": "V"', '| customer | V |'])(
    'is a label: %j',
    (text) => {
      expect(left(`Kept.\n\n${text}\n`)).not.toContain('V');
    },
  );

  test.each([
    'V came as a customer of the house.\n',
    'What does a customer do?\n\nV does.\n',
    '# A customer of it\n\nV.\n',
  ])('is a word of a sentence otherwise: %j', (text) => {
    expect(left(text)).toBe(text);
  });

  test.each([
    'customer = read(V);',
    'p.setCustomer("V");',
    'put("customer", "V");',
    'String customer = "V";',
    '// customer: V',
  ])('is a label in code: %j', (line) => {
    expect(left(`one();\n${line}\ntwo("kept");\n`, JAVA)).not.toContain('V');
    expect(left(`one();\n${line}\ntwo("kept");\n`, JAVA)).toContain('two("kept");');
  });

  test.each(['log("V", p.getCustomer());\n', 'class Customer {\n  String x = "V";\n}\n'])(
    'is no label there: %j',
    (text) => {
      expect(left(text, JAVA)).toBe(text);
    },
  );
});
