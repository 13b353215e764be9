/**
 * `npm run evaluate`: what each stage adds and how the four modes compare, on the questions that no setting was chosen by (`--all`: on all
 * sixty), and what each kind of question gains, of all sixty. `--write` puts the tables into the README.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openEvaluation } from './open-evaluation.js';
import { LOOKED_AT, readQuestions } from './questions.js';
import { inReadme } from './readme-tables.js';
import { kindsTable, modesTable, stagesTable } from './tables.js';

const README = fileURLToPath(new URL('../README.md', import.meta.url));
const { values } = parseArgs({ options: { all: { type: 'boolean' }, write: { type: 'boolean' } } });
const questions = readQuestions().slice(values.all === true ? 0 : LOOKED_AT);

const { engine, settings, close } = await openEvaluation();
try {
  const { embedder } = await engine.status();
  console.log(`${questions.length} questions, model ${embedder}\n`);
  const tables = {
    stages: await stagesTable(engine, questions, settings),
    kinds: await kindsTable(engine, readQuestions(), settings),
    modes: await modesTable(engine, questions),
  };
  console.log(Object.values(tables).join('\n\n'));
  if (values.write === true) writeFileSync(README, inReadme(readFileSync(README, 'utf8'), tables));
} finally {
  await close();
}
