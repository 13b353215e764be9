import { throwIfAborted } from '../core/errors.js';
import { editDistance } from '../core/nearest-name.js';
import type { GenerationReader } from '../ledger/ledger.js';
import { withoutExtension } from '../relations/graph/names.js';

/** Documents whose paths end in a name, and what else is called nearly so. */
export interface NearDocuments {
  readonly ending: readonly string[];
  /** Names, the nearest first. */
  readonly near: readonly string[];
}

interface Looking {
  readonly reader: GenerationReader;
  readonly tenant: string;
  readonly readable: (documentIds: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly signal?: AbortSignal | undefined;
}

const PAGE = 500;
const MOST_NEAR = 3;

/** Looks at all documents of a tenant that the asker may read: for what no name of the graph finds. Time linear in their number. */
export async function nearDocuments(
  item: string,
  { reader, tenant, readable, signal }: Looking,
): Promise<NearDocuments> {
  const ending: string[] = [];
  const near = new Map<string, number>();
  const end = `/${item.toLowerCase()}`;
  for (let after: string | undefined; ; ) {
    throwIfAborted(signal);
    const page = await reader.documents(after, PAGE);
    const candidates = page.flatMap((document) => {
      if (document.tenant !== tenant) return [];
      const path = `/${document.externalId.toLowerCase()}`;
      const isEnd = path.endsWith(end) || withoutExtension(path).endsWith(end);
      const distance = isEnd ? 0 : distanceOf(item, document.externalId);
      return distance === undefined ? [] : [{ document, isEnd, distance }];
    });
    const seen = await readable(candidates.map(({ document: { documentId } }) => documentId));
    for (const { document, isEnd, distance } of candidates) {
      if (!seen.has(document.documentId)) continue;
      if (isEnd) ending.push(document.documentId);
      near.set(document.externalId, distance);
    }
    after = page.at(-1)?.documentId;
    if (page.length < PAGE) break;
  }
  const names = [...near].sort(([, a], [, b]) => a - b).map(([name]) => name);
  return { ending, near: names.slice(0, MOST_NEAR) };
}

/** Mistakes in the last part of a path; undefined where they are too many to be mistakes. */
function distanceOf(item: string, externalId: string): number | undefined {
  const [wanted, name] = [lastPart(item), lastPart(externalId)];
  const most = Math.max(1, Math.floor(wanted.length / 3));
  if (Math.abs(wanted.length - name.length) > most) return undefined;
  const distance = editDistance(wanted, name);
  return distance <= most ? distance : undefined;
}

/** Longer names are compared by their beginnings. */
const LONGEST = 100;

const lastPart = (path: string): string =>
  withoutExtension(path.slice(path.lastIndexOf('/') + 1))
    .toLowerCase()
    .slice(0, LONGEST);
