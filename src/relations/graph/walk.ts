import { compareText } from '../../core/filter.js';
import {
  type GraphPage,
  type GraphReader,
  type GraphRows,
  type NameHit,
  type ReferenceHit,
  type ReferenceKind,
  SHARED_KINDS,
} from './graph.js';
import { labelOf, readSection } from './names.js';

/** One step from a document to its neighbour. */
export interface GraphStep {
  /** Id of the document that it leads from. */
  readonly from: string;
  readonly kind: ReferenceKind;
  /** Id of the document that it leads to. */
  readonly to: string;
  /** `out`: `from` refers to `to`. `in`: `to` refers to `from`. `shared`: both name the same person or component. */
  readonly direction: 'out' | 'in' | 'shared';
  /** What both name; present with `shared`. */
  readonly via?: string | undefined;
  /** The section of `to` that a link leads to, as its anchor is compared (`names.ts`); one of them where there are several. */
  readonly section?: string | undefined;
}

export interface WalkPorts {
  readonly graph: GraphReader;
  readonly tenant: string;
  /**
   * Of documents those that the asker may read. Nothing else is ever passed through, counted or weighed, so that what is hidden cannot show
   * by what it connects.
   */
  readonly readable: (documentIds: readonly string[]) => Promise<ReadonlySet<string>>;
}

export interface WalkOptions {
  /** Steps from the nearest beginning, at least 1. */
  readonly hops: number;
  /** Documents in all, the beginnings among them; the walk ends there and says so. */
  readonly maxDocuments: number;
  /** Kinds that are followed. @default all */
  readonly kinds?: readonly ReferenceKind[] | undefined;
}

/** The part of the graph around some documents. */
export interface Walk {
  /** In the order in which they were reached: the beginnings, then those next to them. */
  readonly documents: readonly string[];
  /** Every edge that was seen between them, once in either direction. */
  readonly steps: readonly GraphStep[];
  /** Documents by the names under which others refer to them. */
  readonly named: ReadonlyMap<string, readonly string[]>;
  /** There is more than was looked at. */
  readonly isCut: boolean;
}

/** Readable documents that are taken of one name: what everybody refers to tells little. */
export const PER_NAME = 40;
const PAGE = 64;
/** Pages that are read of one name for documents that the asker may read. */
const MOST_PAGES = 16;

/** Walks breadth first from documents that the asker may read. The same index and asker give the same walk. */
export async function walkGraph(
  beginnings: readonly string[],
  ports: WalkPorts,
  { hops, maxDocuments, kinds }: WalkOptions,
): Promise<Walk> {
  const isWanted = (kind: ReferenceKind): boolean => kinds === undefined || kinds.includes(kind);
  const looker = readableLooker(ports);
  const documents = new Set(beginnings);
  const steps = new Map<string, GraphStep>();
  const named = new Map<string, string[]>();
  let isCut = false;
  let frontier: readonly string[] = beginnings;
  for (let hop = 0; hop < hops && frontier.length > 0; hop++) {
    const found = await neighboursOf(frontier, { ports, looker, isWanted });
    isCut ||= found.isCut;
    for (const { name, documentId } of found.named) put(named, name, documentId);
    const next: string[] = [];
    for (const step of found.steps) {
      if (!documents.has(step.to)) {
        if (documents.size >= maxDocuments) {
          isCut = true;
          continue;
        }
        documents.add(step.to);
        next.push(step.to);
      }
      if (!steps.has(keyOf(step)) && !steps.has(keyOf(reversed(step)))) steps.set(keyOf(step), step);
    }
    frontier = next;
  }
  return { documents: [...documents], steps: [...steps.values()], named, isCut };
}

/** Ids and kinds hold no line break. */
const keyOf = ({ from, kind, to, direction, via = '' }: GraphStep): string =>
  `${from}\n${to}\n${kind}\n${direction}\n${via}`;

const OPPOSITE = { out: 'in', in: 'out', shared: 'shared' } as const;

/** The same edge, walked the other way. */
export const reversed = ({ from, kind, to, direction, via }: GraphStep): GraphStep => ({
  from: to,
  kind,
  to: from,
  direction: OPPOSITE[direction],
  ...(via === undefined ? {} : { via }),
});

/** Stronger kinds are followed first, for a walk may end before it has followed all. */
const ORDER: Readonly<Record<ReferenceKind, number>> = {
  relation: 0,
  mention: 1,
  link: 2,
  import: 3,
  symbol: 4,
  commit: 5,
  component: 6,
  person: 7,
  entity: 8,
};

async function neighboursOf(
  frontier: readonly string[],
  {
    ports: { graph },
    looker,
    isWanted,
  }: {
    readonly ports: WalkPorts;
    readonly looker: ReadableLooker;
    readonly isWanted: (kind: ReferenceKind) => boolean;
  },
): Promise<Pick<Walk, 'steps' | 'isCut'> & { readonly named: readonly NameHit[] }> {
  const rows = await graph.rows(frontier);
  const holders = new Map<string, string[]>();
  const referrers = new Map<string, Referrer[]>();
  for (const [from, { names, references }] of rows) {
    for (const name of names) put(holders, name, from);
    const sections = sectionsIn(references);
    for (const { kind, target } of references)
      if (isWanted(kind) && readSection(target) === undefined)
        put(referrers, target, { from, kind, ...sections.get(target) });
  }
  const outside = [...referrers].flatMap(([name, [first]]) =>
    first === undefined || SHARED_KINDS.has(first.kind) ? [] : [name],
  );
  const shared = [...referrers].flatMap(([name, [first]]) =>
    first !== undefined && SHARED_KINDS.has(first.kind) ? [name] : [],
  );
  const [named, referring, sharing] = await Promise.all([
    looker.named(outside),
    looker.referring([...holders.keys()]),
    looker.referring(shared),
  ]);
  const out = named.hits.flatMap(({ name, documentId: to }) =>
    (referrers.get(name) ?? []).map((referrer): GraphStep => ({ ...referrer, to, direction: 'out' })),
  );
  const into = referring.hits.flatMap(({ name, documentId: to, kind }) =>
    (isWanted(kind) ? (holders.get(name) ?? []) : []).map(
      (from): GraphStep => ({ from, kind, to, direction: 'in' }),
    ),
  );
  const both = sharing.hits.flatMap(({ name, documentId: to, kind }) =>
    (referrers.get(name) ?? []).map(
      ({ from }): GraphStep => ({ from, kind, to, direction: 'shared', via: labelOf(name) }),
    ),
  );
  const steps = [...out, ...into, ...both].filter(({ from, to }) => from !== to);
  const place = new Map(frontier.map((id, index) => [id, index]));
  return {
    steps: steps.sort(
      (a, b) =>
        ORDER[a.kind] - ORDER[b.kind] ||
        (place.get(a.from) ?? 0) - (place.get(b.from) ?? 0) ||
        compareText(a.to, b.to),
    ),
    named: named.hits,
    isCut: named.isCut || referring.isCut || sharing.isCut,
  };
}

interface Referrer extends Pick<GraphStep, 'from' | 'kind' | 'section'> {}

/** By the name of a page the first of its sections that a document links to. */
function sectionsIn(references: GraphRows['references']): Map<string, Pick<GraphStep, 'section'>> {
  const found = new Map<string, Pick<GraphStep, 'section'>>();
  for (const { target } of references) {
    const place = readSection(target);
    if (place !== undefined && !found.has(place.page)) found.set(place.page, { section: place.section });
  }
  return found;
}

function put<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}

interface Looked<Hit> {
  readonly hits: readonly Hit[];
  readonly isCut: boolean;
}

/** Looks names up, and sees what the asker may read and nothing else. */
interface ReadableLooker {
  named(names: readonly string[]): Promise<Looked<NameHit>>;
  referring(names: readonly string[]): Promise<Looked<ReferenceHit>>;
}

function readableLooker({ graph, tenant, readable }: WalkPorts): ReadableLooker {
  const known = new Map<string, boolean>();
  const onlyReadable = async <Hit extends NameHit>(hits: readonly Hit[]): Promise<Hit[]> => {
    const unknown = [...new Set(hits.map(({ documentId }) => documentId))].filter((id) => !known.has(id));
    if (unknown.length > 0) {
      const seen = await readable(unknown);
      for (const id of unknown) known.set(id, seen.has(id));
    }
    return hits.filter(({ documentId }) => known.get(documentId) === true);
  };
  const look = async <Hit extends NameHit>(
    names: readonly string[],
    find: (names: readonly string[], page: GraphPage) => Promise<readonly Hit[]>,
  ): Promise<Looked<Hit>> => {
    if (names.length === 0) return { hits: [], isCut: false };
    const first = await find(names, { limit: PAGE });
    const byName = new Map<string, Hit[]>();
    for (const hit of first) put(byName, hit.name, hit);
    const kept: Hit[] = [];
    let isCut = false;
    const readableFirst = new Set(await onlyReadable(first));
    for (const [name, page] of byName) {
      const found = page.filter((hit) => readableFirst.has(hit));
      // Of a name that many use, further ones are looked at, for those that may be read may be the last.
      let last = page;
      for (let pages = 1; last.length === PAGE && found.length <= PER_NAME; pages++) {
        // Not told as a cut: it would tell of documents that the asker may not read.
        if (pages === MOST_PAGES) break;
        last = [...(await find([name], { limit: PAGE, after: last.at(-1)?.documentId }))];
        found.push(...(await onlyReadable(last)));
      }
      isCut ||= found.length > PER_NAME;
      kept.push(...found.slice(0, PER_NAME));
    }
    return { hits: kept, isCut };
  };
  return {
    named: (names) => look(names, (some, page) => graph.named(tenant, some, page)),
    referring: (names) => look(names, (some, page) => graph.referring(tenant, some, page)),
  };
}
