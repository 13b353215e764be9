import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { occurrencesOf } from '../../src/core/occurrences.js';
import { seededRandom, shuffled } from '../../src/evaluation/random.js';
import { pick } from '../shared/random.js';

/** One row of the table `issues`. */
export interface Issue {
  readonly issuekey: string;
  readonly project: string;
  readonly title: string;
  readonly description: string;
  readonly storypoint: number;
  /** Made up; stands in no text of the data. */
  readonly reporter: string;
  /** Made up; ISO-8601 UTC. */
  readonly updated_at: string;
}

interface CsvIssue {
  readonly issuekey: string;
  readonly title: string;
  readonly description: string;
  readonly storypoint: string;
}

const REPORTERS = 400;
const FIRST_CHANGE = Date.parse('2024-01-01T00:00:00.000Z');
const MINUTE = 60_000;

/**
 * Issues of all projects of a folder of CSV files, the same for the same limit, each with a reporter and the time of its last change.
 * As in a real tracker, few people report most of them. Undefined where the folder is not there.
 */
export function readIssues(folder: string, limit = Infinity): readonly Issue[] | undefined {
  if (!existsSync(folder)) return undefined;
  const files = readdirSync(folder).filter((name) => name.endsWith('.csv'));
  const rows = files.flatMap((name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    const issues = parse<CsvIssue>(text, { columns: true, relax_quotes: true });
    return issues
      .slice(0, Math.ceil(limit / files.length))
      .map((issue) => ({ ...issue, project: name.replace('.csv', '') }));
  });
  const random = seededRandom(16);
  const names = reporterNames(random);
  return rows
    .slice(0, limit === Infinity ? rows.length : limit)
    .map(({ issuekey, project, title, description, storypoint }, index) => ({
      issuekey,
      project,
      title: storable(title),
      description: storable(description),
      storypoint: Number(storypoint),
      reporter: names[Math.floor(random() ** 2 * names.length)] ?? '',
      updated_at: new Date(FIRST_CHANGE + index * MINUTE + Math.floor(random() * MINUTE)).toISOString(),
    }));
}

/** PostgreSQL keeps no NUL. */
const storable = (text: string): string => text.replaceAll('\0', '');

const SYLLABLES = ['qua', 'zvi', 'xor', 'wuj', 'kje', 'vyq', 'zhu', 'jox', 'qiv', 'wex'];

/** First and last names of syllables that no language has in a row, so that a name is found where it was put and nowhere else. */
function reporterNames(random: () => number): readonly string[] {
  const pairs = SYLLABLES.flatMap((a) => SYLLABLES.map((b) => a + b));
  const lasts = shuffled(
    pairs.flatMap((pair) => SYLLABLES.map((end) => pair + end)),
    random,
  );
  return lasts.slice(0, REPORTERS).map((last) => `${capital(pick(pairs, random))} ${capital(last)}`);
}

const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

/** Who reported how many, most first. */
export function reportersOf(issues: readonly Issue[]): readonly (readonly [name: string, issues: number])[] {
  const counts = occurrencesOf(issues.map(({ reporter }) => reporter));
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

/** So many issues as somebody edited them, a day after the last change of any. */
export function editedIssues(issues: readonly Issue[], count: number): readonly Issue[] {
  const random = seededRandom(50);
  const latest = Math.max(...issues.map(({ updated_at }) => Date.parse(updated_at)));
  return shuffled(issues, random)
    .slice(0, count)
    .map((issue, index) => ({
      ...issue,
      description: `${issue.description}\n\nSeen again in build ${index + 1}, on the second machine too.`,
      updated_at: new Date(latest + 24 * 60 * MINUTE + index * 1_000).toISOString(),
    }));
}

/** How the table is read: one document an issue, with what it says of its reporter in its text and beside it. */
export const ISSUE_SOURCE = {
  name: 'issues',
  type: 'sql' as const,
  table: 'issues',
  key: ['issuekey'],
  title: '{title}',
  text: '{description}\n\nReported by {reporter}.',
  fields: ['reporter', 'project', 'storypoint'],
  updatedAt: 'updated_at',
};

/** The text of `ISSUE_SOURCE`. */
export const textOfIssue = ({ description, reporter }: Issue): string =>
  `${description}\n\nReported by ${reporter}.`;
