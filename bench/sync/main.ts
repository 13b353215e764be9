/**
 * `npm run bench:sync [-- --json] [--only issues|corpora] [--issues N] [--pairs N]`: Jira issues of a real PostgreSQL synced into the
 * embedded default index beside the bare stages, again after 50 edits, and one reporter forgotten; four corpora synced again with one
 * changed file beside none.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startServer, stopAllOnExit } from '../../tools/test-stores/start-server.js';
import { STORES } from '../../tools/test-stores/stores.js';
import { circumstances } from '../shared/machine.js';
import { assertPlacesExist, LOCAL_RESULTS, REPOSITORY } from '../shared/places.js';
import { measureCorpora } from './corpora.js';
import { measureIssues } from './issues.js';
import { readIssues } from './jira-issues.js';
import { JIRA_FOLDER } from './load-issues.js';

const SCRIPTS = resolve(REPOSITORY, process.env.RAGSTONE_SERVERS ?? '../shared/servers');

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    only: { type: 'string' },
    issues: { type: 'string', default: 'Infinity' },
    pairs: { type: 'string', default: '3' },
  },
});
const say = (text: string): void => console.error(text);

async function issuesPart() {
  const issues = readIssues(JIRA_FOLDER, Number(values.issues));
  const server = STORES.find(({ name }) => name === 'postgres')?.server;
  if (issues === undefined || server === undefined) throw new Error(`There are no issues in ${JIRA_FOLDER}.`);
  const running = await startServer(server, { scripts: SCRIPTS, say });
  try {
    return await measureIssues({ url: running.url, issues, pairs: Number(values.pairs), say });
  } finally {
    await running.stop();
  }
}

assertPlacesExist();
stopAllOnExit();
const report = {
  ...circumstances(),
  ...(values.only === 'corpora' ? {} : { issues: await issuesPart() }),
  ...(values.only === 'issues' ? {} : { corpora: await measureCorpora(say) }),
};
mkdirSync(LOCAL_RESULTS, { recursive: true });
const file = join(LOCAL_RESULTS, 'sync.json');
const text = JSON.stringify(report, null, 2);
writeFileSync(file, `${text}\n`);
if (values.json) console.log(text);
else {
  for (const [part, result] of Object.entries(report)) console.log(part, JSON.stringify(result));
  console.log(`All of it: ${file}`);
}
