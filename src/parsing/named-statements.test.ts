import { describe, expect, test } from 'vitest';
import { codeMediaType } from '../core/media-types.js';
import { withholdText } from '../resources/withheld-fields.js';

const left = (text: string, language: string): string =>
  withholdText(text, ['salary_band', 'customer'], {
    isConverted: false,
    mediaType: codeMediaType(language),
    calledBy: [],
  })?.text ?? text;

describe('a statement goes with the block that it opens', () => {
  test.each([
    ['csharp', 'public class SalaryBand\n{\n  const string A = "V";\n}\n'],
    ['csharp', 'public string SalaryBand\n{\n  get { return "V"; }\n}\n'],
    ['csharp', 'enum SalaryBand\n{\n  V,\n}\n'],
    ['csharp', 'if (p.SalaryBand == x)\n{\n  Log("V");\n}\n'],
    ['java', 'String getSalaryBand()\n{\n  return "V";\n}\n'],
    ['java', 'String getSalaryBand()\n  throws A,\n    B\n{\n  return "V";\n}\n'],
    ['c', 'const char *\nsalary_band(void)\n{\n  return "V";\n}\n'],
    ['c', 'switch (p->salary_band)\n{\ncase 1: x("V");\n}\n'],
    ['php', "function salaryBand(): string\n{\n    return 'V';\n}\n"],
    ['rust', 'impl SalaryBand\nwhere\n    A: B,\n{\n    const A: &str = "V";\n}\n'],
    ['ruby', 'def salary_band\n  x = 1\n\n  "V"\nend\n'],
    ['ruby', "module SalaryBand\n  def x\n    1\n  end\n  A = 'V'\nend\n"],
    ['ruby', "if p.salary_band == x\n  y 1\nelse\n  y 'V'\nend\n"],
    ['ruby', "case p.salary_band\nwhen 'V' then 1\nend\n"],
    ['ruby', "let(:salary_band) do\n  'V'\nend\n"],
    ['ruby', "x = case p.salary_band\n    when 1\n      'V'\n    end\n"],
    ['lua', 'local salaryBand = function(p)\n  return "V"\nend\n'],
    ['lua', 'if p.salary_band == x then\n  y("V")\nend\n'],
    ['julia', 'function salary_band()\n  return "V"\nend\n'],
    ['matlab', "function x = salary_band()\n  x = 'V';\nend\n"],
    ['vb', 'Public Function SalaryBand() As String\n  Return "V"\nEnd Function\n'],
    ['vb', 'Select Case p.SalaryBand\n  Case "V"\n    x()\nEnd Select\n'],
    ['pascal', "function SalaryBand: string;\nvar\n  x: integer;\nbegin\n  Result := 'V';\nend;\n"],
    ['ada', 'function Salary_Band return String is\nbegin\n  return "V";\nend Salary_Band;\n'],
    ['fortran', "function salary_band() result(x)\n  x = 'V'\nend function\n"],
    ['python', 'def salary_band(\n    self,\n):\n    return "V"\n'],
    ['haskell', 'f p = case salaryBand p of\n  "V" -> 1\n  _ -> 2\n'],
    ['sql', "CREATE PROCEDURE set_salary_band()\nBEGIN\n  SELECT 1;\n  UPDATE p SET x = 'V';\nEND;\n"],
    ['sql', "CREATE FUNCTION salary_band() RETURNS text AS $$\nBEGIN\n  x := 1;\n  RETURN 'V';\nEND;\n$$;\n"],
  ])('in %s: %j', (language, said) => {
    const kept = left(`one("kept")\n\n${said}\ntwo("kept")\n`, language);
    expect(kept).not.toMatch(/\bV\b/);
    expect(kept).toContain('one("kept")');
    expect(kept).toContain('two("kept")');
  });

  test.each([
    ['csharp', 'void Raise(string salaryBand)\n{\n  One("kept");\n}\n'],
    ['python', 'def raise_to(\n    self,\n    salary_band\n):\n    one("kept")\n'],
    ['lua', 'function raise(p, salary_band)\n  one("kept")\nend\n'],
    ['vb', 'Public Property SalaryBand() As String\nPublic Sub Two()\n  One("kept")\nEnd Sub\n'],
    ['java', 'use(p.salaryBand);\n{\n  one("kept");\n}\n'],
  ])('that is about something else stays in %s: %j', (language, text) => {
    expect(left(text, language)).toMatch(/one\("kept"\)/i);
  });
});

describe('texts over several lines', () => {
  test.each([
    ['python', '"""kept."""\n\ndef salary_band(p):\n    """Doc."""\n    return "V"\n\none("kept")\n'],
    [
      'python',
      '"""kept."""\n\nfrom x import one\n\n\nclass A:\n    """kept"""\n\n    salary_band: str = "V"\n    b = "kept"\n\n    """kept"""\n',
    ],
    ['typescript', 'const a = `kept`;\nfoo(p.salaryBand,\n  `x`, "V");\nconst b = `kept`;\n'],
    ['typescript', "const r = /`/; // kept\nfoo(p.salaryBand, 'V');\nconst s = `kept`;\n"],
    ['typescript', '// don`t kept\nconst b = "`kept";\nconst s = `\n  Salary band\n  V\n`;\none("kept");\n'],
    [
      'go',
      'type P struct {\n\tName string `json:"kept"`\n\tSalaryBand string `json:"salary_band" default:"V"`\n\tTeam string `json:"kept"`\n}\n',
    ],
    ['python', 'one("kept")\ncustomer = """\nV\n"""\ntwo("kept")\n'],
  ])('are told from what stands between them in %s: %j', (language, text) => {
    const kept = left(text, language);
    expect(kept).not.toMatch(/\bV\b/);
    expect(kept.split('kept').length).toBe(text.split('kept').length);
  });
});

describe('rows of SQL', () => {
  test.each([
    'COPY p (name, customer) FROM stdin WITH (FORMAT csv);\nkept,V\n"ke,pt","a, V\nV"\n\\.\n',
    'COPY p (name, customer) FROM stdin CSV;\nkept,V\n\\.\n',
    "COPY p (name, customer) FROM stdin\n  WITH DELIMITER '|';\nkept|V\n\\.\n",
    "COPY p (name, customer) FROM stdin (FORMAT csv, DELIMITER ';');\nkept;V\n\\.\n",
    'COPY p (name, customer) FROM stdin;\nkept\tV\n\\.\n',
    "INSERT INTO p (name, customer) OVERRIDING SYSTEM VALUE VALUES ('kept', 'V');\n",
    "INSERT INTO p (name, customer)\nOUTPUT inserted.id INTO @ids VALUES ('kept', 'V');\n",
    "INSERT INTO p (name, customer) VALUE ('kept', 'V');\n",
  ])('lose the cells of their column: %j', (text) => {
    const kept = left(text, 'sql');
    expect(kept).not.toContain('V\n');
    expect(kept).not.toMatch(/\bV\b/);
    expect(kept).toMatch(/kept|ke,pt/);
  });
});

describe('a name of one word in code', () => {
  test.each([
    ['python', 'def notify(customer):\n    one("kept")\n'],
    ['python', 'send(customer=customer, total=4)\n'],
    ['python', 'send(customer=self.customer, total=4)\n'],
    ['python', 'ordering = ["customer", "created"]\n'],
    ['python', 'ordering = [\n    "customer",\n    "created",\n]\n'],
    ['python', 'def g(a, customer: int, b): pass\n'],
    ['python', 'def total(customer: Customer) -> int:\n    return 4\n'],
    ['python', 'if customer:\n    one("kept")\n'],
    ['python', 'class A:\n    customer: Customer | None\n'],
    ['typescript', 'router.get("/customer/:id", h)\n'],
    ['typescript', 'h({ customer: customer, total: 4 })\n'],
    ['typescript', 'f((customer) => one("kept"));\n'],
    ['typescript', 'interface A {\n  customer: Map<string, Customer>;\n  readonly customer?: string[];\n}\n'],
    ['rust', 'struct A {\n    customer: Option<Customer>,\n}\n'],
  ])('that has no value is left whole in %s: %j', (language, text) => {
    expect(left(text, language)).toBe(text);
  });

  test.each([
    ['python', 'x = [("customer", "V")]\n'],
    ['typescript', 'new Map([["customer", "V"]])\n'],
    ['typescript', 'new Map([\n  ["customer", "V"],\n])\n'],
    ['python', 'f("--customer", "V")\nrun(["x", "--customer", "V"])\n'],
    ['python', 'def f(a, customer: str = "V"): pass\n'],
    ['typescript', 'h({ customer: V, total: 4 })\n'],
    ['typescript', 'o["customer"] = V;\n'],
    ['kotlin', 'val customer: Customer = load("V")\n'],
  ])('that has one loses it in %s: %j', (language, text) => {
    expect(left(text, language)).not.toMatch(/\bV\b/);
  });
});

describe('a label of one word takes its value and no more', () => {
  test.each([
    ['python', 'def f(customer="V", y="kept"):\n    one("kept")\n'],
    [
      'python',
      '@pytest.mark.parametrize("customer", ["V"])\ndef test_x(customer):\n    one("kept", "kept")\n',
    ],
    ['typescript', "const d = { customer: 'V', n: 'kept' }; one('kept');\n"],
    ['typescript', "withDeal({ customer: 'V' }, () => {\n  one('kept', 'kept');\n});\n"],
    ['typescript', "setCustomer(\n  'V',\n);\none('kept', 'kept');\n"],
    ['powershell', "$customer = @'\nV\n'@\n$x = 'kept kept'\n"],
    ['csharp', 'var customer = @"\nV";\nvar x = "kept kept";\n'],
    ['c', '#define CUSTOMER "V"\n#define X "kept kept"\n'],
    ['c', 'char customer[] = "V"; char x[] = "kept kept";\n'],
    ['kotlin', 'mapOf("customer" to "V", "n" to "kept kept")\n'],
    ['python', 'd["customer"]["name"] = "V"\nx = "kept kept"\n'],
    ['sql', "UPDATE d SET customer = 'V' WHERE n = 'kept' OR n = 'kept';\n"],
    ['sql', "SELECT 'V' AS customer, 'kept kept' AS n;\n"],
    ['sql', "SELECT * FROM d WHERE customer IN ('V') AND n = 'kept kept';\n"],
    ['sql', "SELECT * FROM d WHERE customer BETWEEN 'V' AND 'V' AND n = 'kept';\n-- kept\n-- kept\n"],
    ['sql', "DECLARE @customer nvarchar(50) = 'V'; SELECT 'kept kept';\n"],
    ['sql', "INSERT INTO d (n, customer) SELECT 'kept kept', 'V' FROM x;\n"],
    ['sql', "MERGE INTO d USING (VALUES ('kept kept', 'V')) AS s(n, customer) ON d.n = s.n;\n"],
  ])('in %s: %j', (language, text) => {
    const kept = left(text, language);
    expect(kept).not.toMatch(/\bV\b/);
    expect(kept.match(/kept/g)?.length).toBeGreaterThanOrEqual(2);
  });

  test.each([
    ['typescript', "router.get('/customer', async (req) => {\n  one('kept');\n});\n"],
    ['typescript', "test('customer', async () => {\n  one('kept');\n});\n"],
    ['python', '@app.route("/customer", methods=["GET"])\ndef f():\n    one("kept")\n'],
    ['ruby', "describe 'customer', type: :model do\n  one 'kept'\nend\n"],
  ])('and nothing in front of a handler in %s: %j', (language, text) => {
    expect(left(text, language)).toBe(text);
  });
});

describe('statements end where they do', () => {
  test.each([
    ['go', 'var t = []struct {\n\tname string\n\tsalaryBand string\n}{\n\t{"Ann", "V"},\n}\none("kept")\n'],
    ['typescript', "if (p.salaryBand)\n  x = 'V';\nelse\n  x = 'V';\none('kept');\n"],
    ['python', 'if p.salary_band:\n    x = "V"\nelif y:\n    x = "V"\nelse:\n    x = "V"\none("kept")\n'],
    ['rust', '#[serde(rename = "salary_band")]\nb: Some("V"),\nn: "kept",\n'],
    [
      'python',
      'SQL = """\nINSERT INTO p (name, salary_band)\nVALUES (%s, %s)\n"""\nx.execute(SQL, ("Ann", "V"))\nn = "kept"\n',
    ],
    ['r', 'd %>%\n  filter(x == "V") %>%\n  select(salary_band)\nn <- "kept"\n'],
    ['tsx', "<Select name=\"salaryBand\" options={['V']} />;\nconst b = 'kept';\n"],
  ])('in %s: %j', (language, text) => {
    const kept = left(text, language);
    expect(kept).not.toMatch(/\bV\b/);
    expect(kept).toContain('kept');
  });
});
