import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseCsv } from '../../bench/shared/data-files.js';
import { extractIdentifiers } from '../../src/core/analysis/identifiers.js';
import { seededRandom, shuffled } from '../../src/evaluation/random.js';
import type { PushedDocument } from '../../src/index.js';

/** A query that names something exactly, and what its first result must hold. */
export interface IdentifierQuery {
  readonly text: string;
  /** Normalised as `extractIdentifiers` does. */
  readonly identifier: string;
  /** The document that the identifier is the key of; absent where any document that holds it will do. */
  readonly documentId?: string;
}

/** Issues of one project: the key is the id and stands in the title, as connectors hand them over. */
export async function readIssues(file: string, limit: number): Promise<PushedDocument[]> {
  const [, ...rows] = parseCsv(await readFile(file, 'utf8'));
  return rows
    .slice(0, limit)
    .flatMap(([key = '', title = '', description = '']) =>
      key === '' ? [] : [{ id: key, title: `${key}: ${title}`, text: description || title }],
    );
}

/** The proposals of a folder of Kubernetes enhancements. */
export async function readProposals(folder: string, limit: number): Promise<PushedDocument[]> {
  const entries = await readdir(folder, { recursive: true });
  const files = entries
    .filter((name) => name.endsWith('.md'))
    .sort()
    .slice(0, limit);
  return Promise.all(
    files.map(async (name) => ({
      id: name,
      text: await readFile(join(folder, name), 'utf8'),
      mediaType: 'text/markdown' as const,
    })),
  );
}

const KEY_TEMPLATES = ['KEY', 'what is KEY about?', 'status of KEY', 'duplicates of KEY in the tracker'];
const NAME_TEMPLATES = ['NAME', 'where is NAME used', 'how does NAME work?'];
/** An identifier in more documents than this is as good as a word. */
const MAX_DOCUMENTS = 3;
const MIN_LENGTH = 6;

/** Half of the queries ask for keys of issues, half for names that few documents hold; the seed decides which. */
export function identifierQueries(
  issues: readonly PushedDocument[],
  proposals: readonly PushedDocument[],
  { count, seed }: { count: number; seed: number },
): IdentifierQuery[] {
  const random = seededRandom(seed);
  const half = Math.floor(count / 2);
  const keys = shuffled(issues, random)
    .slice(0, half)
    .map(
      ({ id }, i): IdentifierQuery => ({
        text: fill(KEY_TEMPLATES, i, id),
        identifier: id.toLowerCase(),
        documentId: id,
      }),
    );
  const names = shuffled(rareNames([...issues, ...proposals]), random)
    .slice(0, count - half)
    .map((identifier, i): IdentifierQuery => ({ text: fill(NAME_TEMPLATES, i, identifier), identifier }));
  return [...keys, ...names];
}

const fill = (templates: readonly string[], i: number, name: string): string =>
  (templates[i % templates.length] ?? '').replace(/KEY|NAME/, () => name);

function rareNames(documents: readonly PushedDocument[]): string[] {
  const keys = new Set(documents.map(({ id }) => id.toLowerCase()));
  const counts = new Map<string, number>();
  for (const { text = '' } of documents)
    for (const identifier of new Set(extractIdentifiers(text)))
      counts.set(identifier, (counts.get(identifier) ?? 0) + 1);
  return [...counts]
    .filter(
      ([name, documentCount]) =>
        documentCount <= MAX_DOCUMENTS && name.length >= MIN_LENGTH && !keys.has(name) && isOneName(name),
    )
    .map(([name]) => name)
    .sort();
}

/** A query must read as the same one identifier that the text holds. */
const isOneName = (name: string): boolean => {
  const [only, ...others] = extractIdentifiers(name);
  return only === name && others.length === 0;
};
