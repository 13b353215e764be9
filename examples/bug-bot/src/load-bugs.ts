import { readFile } from 'node:fs/promises';
import { type BugRecord, saveBugs } from './bugs.js';
import type { Database } from './database.js';
import { hadoopBugs } from './hadoop-bugs.js';

const SAMPLE = new URL('../data/sample-bugs.json', import.meta.url);

/** Writes the sample, or Hadoop bugs from a path or an address, into the bug tables. Returns what it did, for people. */
export async function loadBugs(database: Database, from: string | undefined): Promise<string> {
  const bugs = from === undefined ? await sampleBugs() : hadoopBugs(await textOf(from));
  await database.transaction((transaction) => saveBugs(transaction, bugs));
  const findings = bugs.reduce((sum, bug) => sum + bug.findings.length, 0);
  const investigations = bugs.filter(({ investigation }) => investigation !== undefined).length;
  const kind = from === undefined ? 'sample bugs' : 'Hadoop bugs';
  return `Loaded ${bugs.length} ${kind}, ${investigations} investigations, ${findings} findings.`;
}

export async function sampleBugs(): Promise<readonly BugRecord[]> {
  const { bugs } = JSON.parse(await readFile(SAMPLE, 'utf8')) as { readonly bugs: readonly BugRecord[] };
  return bugs;
}

async function textOf(from: string): Promise<string> {
  if (!/^https?:/.test(from)) return readFile(from, 'utf8');
  const response = await fetch(from);
  if (!response.ok) throw new Error(`${from} answered ${response.status}.`);
  return response.text();
}
