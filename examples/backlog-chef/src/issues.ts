import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { parse } from 'csv-parse/sync';

/** An issue of a tracker. */
export interface Issue {
  /** `ORC-12`: a project and a number that grows with time. */
  readonly key: string;
  readonly title: string;
  readonly description: string;
  readonly storypoint?: number | undefined;
}

/** Invented for this example. */
export const SAMPLE = new URL('../data/sample-issues.json', import.meta.url);

/**
 * Issues of one project, the oldest first: the sample's JSON, or a CSV with the columns `issuekey,title,description,storypoint`, as Jira exports
 * are published.
 *
 * @throws Error where a file is neither, or holds no issue
 */
export function readIssues(file: string | URL): Issue[] {
  const text = readFileSync(file, 'utf8');
  const issues =
    extname(String(file)) === '.csv'
      ? parse<Record<string, string>>(text, { columns: true, bom: true, relax_column_count: true }).map(
          issueOf,
        )
      : (JSON.parse(text) as { readonly issues: readonly Issue[] }).issues;
  if (issues.length === 0) throw new Error(`${String(file)} holds no issues.`);
  return [...issues].sort((a, b) => numberOf(a.key) - numberOf(b.key));
}

function issueOf({ issuekey = '', title = '', description = '', storypoint }: Record<string, string>): Issue {
  if (!/^[A-Z][A-Z\d]*-\d+$/.test(issuekey))
    throw new Error('Issues need the columns issuekey, title, description and storypoint.');
  return { key: issuekey, title, description, storypoint: Number(storypoint ?? 0) };
}

/** The number of a key, by which issues are ordered in time. */
export const numberOf = (key: string): number => Number(key.slice(key.lastIndexOf('-') + 1));
