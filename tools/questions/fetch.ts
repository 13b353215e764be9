/**
 * `npx tsx tools/questions/fetch.ts [--to DIR] [SET...]`: fetches the documentation that the questions are about, checks
 * every archive and every quote. Files of a set land in `DIR/SET` (DIR: `node_modules/.cache/ragstone-questions`).
 * Exit 1 where a quote is not where its question says.
 */
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type DocSet, readDocSets, readQuestions } from './doc-sets.js';
import { extractFiles, fetchArchive } from './packages.js';
import { quoteProblems } from './quotes.js';

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/ragstone-questions', import.meta.url));

const say = (line: string): void => void process.stderr.write(`${line}\n`);

async function fetchSet({ name, packages }: DocSet, to: string): Promise<string[]> {
  const folder = join(to, name);
  await rm(folder, { recursive: true, force: true });
  let files = 0;
  for (const pack of packages) {
    const archive = await fetchArchive(pack, join(to, 'archives'));
    files += await extractFiles(pack, archive, join(folder, pack.name));
  }
  const questions = readQuestions(name);
  const problems = await quoteProblems(questions, folder);
  say(`${name}: ${files} files, ${questions.length} questions, ${problems.length} quotes not found`);
  return problems;
}

function chosenSets(names: readonly string[]): DocSet[] {
  const sets = readDocSets();
  const unknown = names.filter((name) => !sets.some((set) => set.name === name));
  if (unknown.length > 0)
    throw new Error(`No set ${unknown.join(', ')}; there are ${sets.map(({ name }) => name).join(', ')}.`);
  return names.length === 0 ? sets : sets.filter(({ name }) => names.includes(name));
}

const { values, positionals } = parseArgs({ options: { to: { type: 'string' } }, allowPositionals: true });
const problems: string[] = [];
for (const set of chosenSets(positionals))
  problems.push(...(await fetchSet(set, resolve(values.to ?? CACHE))));
for (const problem of problems) say(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
