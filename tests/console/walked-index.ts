import { appendFileSync, cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runRagstone } from '../e2e/run-ragstone.js';
import { sharedFolder, writeFiles } from '../e2e/temporary-folder.js';
import { makePdf } from '../fixtures/documents/make-pdf.js';
import { IS_LONG } from '../long-forms.js';
import { HOSTILE } from './hostile-documents.js';

const SHARED = fileURLToPath(new URL('../../../shared/data', import.meta.url));
const PLAYBOOK = join(SHARED, 'corpora/ise-playbook/docs');
const ISSUES = join(SHARED, 'fixtures/jira-issues/jirasoftware.csv');
const TARIFF = join(SHARED, 'field-reports/16-pdf-page-citation/input/tariff.pdf');
const QUESTIONS = join(SHARED, 'questions/ise.jsonl');
const OWN = fileURLToPath(new URL('../../docs', import.meta.url));

/** Real documents are at hand; without them the pages of this repository stand for them. */
export const HAS_SHARED = [PLAYBOOK, ISSUES, TARIFF, QUESTIONS].every((path) => existsSync(path));
if (!HAS_SHARED) console.warn(`Walked over docs/ in place of real data: ${SHARED} is not there.`);

const CONFIG = `
rag:
  provider: libsql
  feedback: { enabled: true }
  conflicts: { enabled: true }
  history: { keep: 90d }
  audit: { enabled: true, text: true }
  server: { maxDelayMs: 0, requestsPerMinute: 0, searchProcesses: 0 }
  sources:
    - { type: files, name: playbook, paths: [playbook], autoIndex: true }
    - { type: files, name: issues, paths: ['issues/*.csv'] }
    - { type: files, name: hostile, paths: ['hostile/**', 'hostile/*.csv'] }
    - { type: files, name: pages, paths: [pages] }
    - { type: git, name: gone, repository: 'https://127.0.0.1:9/gone.git' }
`;

/** Questions with passages that answer them. */
export const SET_SIZE = HAS_SHARED ? (IS_LONG ? 55 : 8) : 2;

/** As lines of JSON. */
export const questionSet = (): string =>
  HAS_SHARED
    ? readFileSync(QUESTIONS, 'utf8')
        .replaceAll('"path": "docs/', '"path": "playbook/')
        .split('\n')
        .slice(0, SET_SIZE)
        .join('\n')
    : OWN_QUESTIONS.map((one) => JSON.stringify(one)).join('\n');

const OWN_QUESTIONS = [
  {
    question: 'What is shown below a level of certainty?',
    gold: [{ path: 'playbook/answering.md', quote: 'console.log(outcome, answer);' }],
  },
  {
    question: 'Who may read the log of calls?',
    gold: [{ path: 'playbook/service.md', quote: '## Audit log' }],
  },
];

/** What stands on page 3, and a question for it. */
export const PDF = HAS_SHARED
  ? { question: 'how soon is a refund paid', sentence: 'A refund is paid within twenty days' }
  : { question: 'when are refunds paid', sentence: 'Refunds are paid' };

const rule = (days: number): string =>
  `# Retention\n\nBackups of the billing database are kept for ${days} days in the second region.\n`;

/** An index over the playbook, issues of Jira, hostile documents, a PDF, a page that was changed and contradicts another, with a source that cannot be read. */
export async function walkedFolder(): Promise<string> {
  const cwd = sharedFolder({ 'ragstone.yaml': CONFIG });
  cpSync(HAS_SHARED ? PLAYBOOK : OWN, join(cwd, 'playbook'), { recursive: true });
  if (HAS_SHARED) cpSync(ISSUES, join(cwd, 'issues/jirasoftware.csv'));
  else writeFiles(cwd, { 'issues/issues.csv': 'issuekey,title\nJSW-1,Boards are slow\n' });
  writeFiles(
    cwd,
    Object.fromEntries(Object.entries(HOSTILE).map(([name, text]) => [`hostile/${name}`, text])),
  );
  const pdf = HAS_SHARED
    ? readFileSync(TARIFF)
    : makePdf([['Tariff'], ['Prices hold for a year.'], ['Refunds are paid after nine days.']]);
  writeFiles(cwd, { 'pages/tariff.pdf': pdf, 'pages/rule.md': rule(14), 'pages/handbook.md': rule(90) });
  await index(cwd);
  writeFiles(cwd, { 'pages/rule.md': rule(30) });
  await index(cwd);
  return cwd;
}

/** Changes every page of the playbook, so that a run has much to do. */
export function changePlaybook(cwd: string): void {
  for (const name of readdirSync(join(cwd, 'playbook'), { recursive: true, encoding: 'utf8' }))
    if (name.endsWith('.md')) appendFileSync(join(cwd, 'playbook', name), '\nRead through once more.\n');
}

async function index(cwd: string): Promise<void> {
  const { code, stderr } = await runRagstone(['index', '--quiet'], { cwd });
  // The source that is gone fails, and the others are indexed.
  if (code !== 1) throw new Error(stderr);
}
