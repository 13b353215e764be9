import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runRagstone } from '../e2e/run-ragstone.js';
import { sharedFolder, writeFiles } from '../e2e/temporary-folder.js';
import { HOSTILE } from './hostile-documents.js';

const SHARED = fileURLToPath(new URL('../../../shared/data', import.meta.url));
const PLAYBOOK = join(SHARED, 'corpora/ise-playbook/docs');
const ISSUES = join(SHARED, 'fixtures/jira-issues/jirasoftware.csv');
const OWN = fileURLToPath(new URL('../../docs', import.meta.url));

/** Real documents are at hand; without them the pages of this repository stand for them. */
export const HAS_SHARED = existsSync(PLAYBOOK) && existsSync(ISSUES);
if (!HAS_SHARED) console.warn(`Walked over docs/ in place of real data: ${SHARED} is not there.`);

const CONFIG = `
rag:
  provider: libsql
  feedback: { enabled: true }
  audit: { enabled: true, text: true }
  server: { maxDelayMs: 0, requestsPerMinute: 0, searchProcesses: 0 }
  sources:
    - { type: files, name: playbook, paths: [playbook] }
    - { type: files, name: issues, paths: ['issues/*.csv'] }
    - { type: files, name: hostile, paths: ['hostile/**', 'hostile/*.csv'] }
    - { type: git, name: gone, repository: 'https://127.0.0.1:9/gone.git' }
`;

/** An index over the playbook, issues of Jira and hostile documents, with a source that cannot be read. */
export async function walkedFolder(): Promise<string> {
  const cwd = sharedFolder({ 'ragstone.yaml': CONFIG });
  cpSync(HAS_SHARED ? PLAYBOOK : OWN, join(cwd, 'playbook'), { recursive: true });
  if (HAS_SHARED) cpSync(ISSUES, join(cwd, 'issues/jirasoftware.csv'));
  else writeFiles(cwd, { 'issues/issues.csv': 'issuekey,title\nJSW-1,Boards are slow\n' });
  writeFiles(
    cwd,
    Object.fromEntries(Object.entries(HOSTILE).map(([name, text]) => [`hostile/${name}`, text])),
  );
  const { code, stderr } = await runRagstone(['index', '--quiet'], { cwd });
  // The source that is gone fails, and the others are indexed.
  if (code !== 1) throw new Error(stderr);
  return cwd;
}
