/**
 * `npx tsx tools/questions/fetch.ts [--to DIR] [SET...]`: fetches the documentation that the questions are about, checks
 * every archive and every quote. Files of a set land in `DIR/SET` (DIR: `node_modules/.cache/ragstone-questions`), those
 * of the written questions in `DIR/written`, only where that is named.
 * Exit 1 where a quote is not where its question says.
 */
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type DocPackage, readDocSets, readQuestions, type Span } from './doc-sets.js';
import { extractFiles, fetchArchive } from './packages.js';
import { quoteProblems } from './quotes.js';
import { readWrittenPackages, readWrittenPassages } from './written-questions.js';

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/ragstone-questions', import.meta.url));

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** What a folder is fetched from, and the passages that must stand in it. */
interface Fetched {
  readonly name: string;
  readonly packages: readonly DocPackage[];
  readonly spans: () => readonly Span[];
}

const WRITTEN: Fetched = { name: 'written', packages: readWrittenPackages(), spans: readWrittenPassages };

async function fetchSet({ name, packages, spans }: Fetched, to: string): Promise<string[]> {
  const folder = join(to, name);
  await rm(folder, { recursive: true, force: true });
  let files = 0;
  for (const pack of packages) {
    const archive = await fetchArchive(pack, join(to, 'archives'));
    files += await extractFiles(pack, archive, join(folder, pack.name));
  }
  const quotes = spans();
  const problems = await quoteProblems(quotes, folder);
  say(`${name}: ${files} files, ${quotes.length} quotes, ${problems.length} not found`);
  return problems;
}

function chosenSets(names: readonly string[]): Fetched[] {
  const sets: Fetched[] = readDocSets().map(({ name, packages }) => ({
    name,
    packages,
    spans: () => readQuestions(name).flatMap(({ gold, alternates }) => [...gold, ...alternates]),
  }));
  const known = [...sets, WRITTEN];
  const unknown = names.filter((name) => !known.some((set) => set.name === name));
  if (unknown.length > 0)
    throw new Error(`No set ${unknown.join(', ')}; there are ${known.map(({ name }) => name).join(', ')}.`);
  return names.length === 0 ? sets : known.filter(({ name }) => names.includes(name));
}

const { values, positionals } = parseArgs({ options: { to: { type: 'string' } }, allowPositionals: true });
const problems: string[] = [];
for (const set of chosenSets(positionals))
  problems.push(...(await fetchSet(set, resolve(values.to ?? CACHE))));
for (const problem of problems) say(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
