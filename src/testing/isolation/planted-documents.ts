import type { ProbeCaller, ProbeReply, ProbeRequest } from './probe-exchange.js';
import type { ProbeRandom } from './probe-random.js';

/** A document with two words that occur nowhere else. */
export interface PlantedDocument {
  readonly id: string;
  /** It is asked for. */
  readonly handle: string;
  /** It is never sent again, so that whoever is shown it was shown the document. */
  readonly secret: string;
  readonly owner: ProbeCaller;
  readonly access: { readonly groups: readonly string[]; readonly level: number };
  /** Who may delete it, so that no two do. */
  readonly worker: number;
  readonly request: ProbeRequest;
  isDeleted: boolean;
}

/** Words of every tenant, so that each search could find documents of all. */
export const TOPICS = ['payment', 'invoice', 'retention', 'contract', 'backup', 'holiday'] as const;
const HANDLE = 'zqh';
const SECRET = 'zqs';
const PLANTED_WORDS = new RegExp(`(?:${HANDLE}|${SECRET})[a-z]{12}`, 'gi');

/** Of documents of one topic not always the same, so that they contradict each other. */
const daysOf = (handle: string): number => 2 + (handle.charCodeAt(HANDLE.length) % 5);

/** All documents that a probe wrote, and who may read them. */
export class PlantedDocuments {
  readonly #documents: PlantedDocument[] = [];
  readonly #byWord = new Map<string, PlantedDocument>();

  /** A document that is not written yet. */
  draw(owner: ProbeCaller, worker: number, random: ProbeRandom): PlantedDocument {
    const handle = HANDLE + random.word();
    const secret = SECRET + random.word();
    const { groups = [], clearance = 0 } = owner;
    const isRestricted = random.below(2) === 0;
    const access = isRestricted
      ? { groups: groups.length > 0 ? [random.of(groups)] : [], level: random.below(clearance + 1) }
      : { groups: [], level: 0 };
    const topic = random.of(TOPICS);
    const id = `doc-${handle}`;
    const body = {
      id,
      tenantId: owner.tenant,
      documentName: `The ${topic} ${handle}`,
      documentType: random.of(['contract', 'policy']),
      tags: ['probe', topic],
      metadata: { note: secret },
      content: `The rules of ${topic} are called ${handle}. Who asks about ${topic} is told the phrase ${secret}, and then every ${random.of(TOPICS)} is checked.\n\nWhoever writes to the office about ${topic} is answered within ${daysOf(handle)} days.`,
      access: { level: access.level, ...(access.groups.length > 0 ? { groups: access.groups } : {}) },
    };
    const request: ProbeRequest = { method: 'POST', path: '/api/ai/rag/index', body };
    return { id, handle, secret, owner, access, worker, request, isDeleted: false };
  }

  add(document: PlantedDocument): void {
    this.#documents.push(document);
    this.#byWord.set(document.handle, document).set(document.secret, document);
  }

  all(): readonly PlantedDocument[] {
    return this.#documents;
  }

  delete(document: PlantedDocument): void {
    document.isDeleted = true;
  }

  /** One that is there, of a worker. */
  living(random: ProbeRandom, worker: number): PlantedDocument | undefined {
    const living = this.#documents.filter((each) => !each.isDeleted && each.worker === worker);
    return living.length === 0 ? undefined : random.of(living);
  }

  /** One that a caller may not read. */
  hiddenFrom(caller: ProbeCaller, random: ProbeRandom): PlantedDocument | undefined {
    const hidden = this.#documents.filter((document) => !document.isDeleted && !mayRead(caller, document));
    return hidden.length === 0 ? undefined : random.of(hidden);
  }

  /** One of anybody. */
  any(random: ProbeRandom): PlantedDocument {
    return random.of(this.#documents);
  }

  /** An id that looks like others, of no document. */
  freshId(random: ProbeRandom): string {
    return `doc-${HANDLE}${random.word()}`;
  }

  /** Which documents a reply shows: how many the caller may read, and words of those that it may not. */
  shownIn(
    { body, headers }: ProbeReply,
    request: ProbeRequest,
    caller: ProbeCaller,
  ): { readonly own: number; readonly foreign: readonly string[] } {
    const sent = new Set(wordsIn(JSON.stringify([request.path, request.body, request.headers])));
    const isWrite = request.path.includes('/index');
    let own = 0;
    const foreign: string[] = [];
    for (const word of wordsIn(`${body}\n${JSON.stringify(headers)}`)) {
      const document = this.#byWord.get(word);
      if (document === undefined) continue;
      if (mayRead(caller, document)) own += isWrite ? 0 : 1;
      // What was asked may be repeated; a secret is only ever sent where it is written.
      else if (!sent.has(word)) foreign.push(`${word} of ${document.owner.tenant}`);
    }
    return { own, foreign };
  }
}

const wordsIn = (text: string): Set<string> =>
  new Set([...text.matchAll(PLANTED_WORDS)].map(([word]) => word.toLowerCase()));

function mayRead(
  { tenant, groups = [], clearance = 0 }: ProbeCaller,
  { owner, access }: PlantedDocument,
): boolean {
  return (
    tenant === owner.tenant &&
    access.level <= clearance &&
    (access.groups.length === 0 || access.groups.some((group) => groups.includes(group)))
  );
}
