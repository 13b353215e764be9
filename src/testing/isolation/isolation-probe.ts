import { PlantedDocuments } from './planted-documents.js';
import type { ProbeCaller, ProbeReply, ProbeRequest } from './probe-exchange.js';
import { ProbeRandom } from './probe-random.js';
import { drawRequest, READS, REFUSALS, type RequestKind } from './probe-requests.js';

/** What is probed, and for how long. */
export interface IsolationProbeOptions {
  /** Sends a request; without `authorization` nobody calls. */
  readonly send: (request: ProbeRequest, authorization: string | undefined) => Promise<ProbeReply>;
  /** At least two, of different tenants. Several of one tenant with other groups show whether those hold. */
  readonly callers: readonly ProbeCaller[];
  /** Headers `authorization` that must be refused: forged, of another issuer, expired, with `alg: none`. @default none */
  readonly forged?: readonly string[] | undefined;
  /** Requests that are drawn at random. @default 2,000 */
  readonly steps?: number | undefined;
  /** Times that every way of reading is asked before and after another tenant writes what was asked for. @default 10 */
  readonly pairs?: number | undefined;
  /** Decides what is drawn. @default 1 */
  readonly seed?: number | undefined;
  /** Requests under way at once. @default 4 */
  readonly concurrency?: number | undefined;
  /** Documents that each caller begins with. @default 3 */
  readonly documentsPerCaller?: number | undefined;
}

/** Something that must not be. */
export interface IsolationViolation {
  readonly kind:
    | 'foreign document shown'
    | 'forbidden differs from absent'
    | 'another tenant shows in a reply'
    | 'not refused'
    | 'server error'
    | 'document lost'
    | 'document not deleted';
  readonly caller: ProbeCaller | undefined;
  readonly request: ProbeRequest;
  readonly detail: string;
}

/** What was done and found. */
export interface IsolationReport {
  readonly requests: number;
  /** How often each kind of request was sent. */
  readonly kinds: Readonly<Record<string, number>>;
  /** How often each status was answered. */
  readonly statuses: Readonly<Record<number, number>>;
  /** Documents that were written, and of them deleted again. */
  readonly written: number;
  readonly deleted: number;
  /** Comparisons of what is hidden with what is not there, and of them those that a write of somebody else disturbed. */
  readonly compared: number;
  readonly disturbed: number;
  /** Times that a caller was shown a document of its own; without any the probe proves nothing. */
  readonly ownShown: number;
  readonly violations: readonly IsolationViolation[];
}

/** More of them say nothing new. */
const MOST_VIOLATIONS = 100;
const NOBODY = undefined;

/**
 * Tries to make a running service show documents to those who may not read them. It writes documents with words that occur nowhere else, searches,
 * asks, looks up, lists, deletes and calls tools at random as every caller, with hostile input too, and looks for those words in every reply. Of what
 * is not there and what may not be read it compares status, headers and body.
 *
 * The callers' tenants are written to: use a service made for it.
 */
export async function probeIsolation(options: IsolationProbeOptions): Promise<IsolationReport> {
  const { steps = 2_000, pairs = 10, seed = 1, concurrency = 4, documentsPerCaller = 3 } = options;
  const probe = new IsolationProbe(options, new ProbeRandom(seed));
  for (let round = 0; round < documentsPerCaller; round++)
    for (const caller of options.callers) await probe.plant(caller, 0);
  for (let pair = 0; pair < pairs; pair++) await probe.comparePair();
  const workers = Array.from({ length: concurrency }, (_, worker) =>
    probe.work({ worker, steps: Math.ceil(steps / concurrency), random: new ProbeRandom(seed + worker + 1) }),
  );
  await Promise.all(workers);
  await probe.checkEnd();
  return probe.report();
}

/** As often as `ragstone/client` sends a request. */
const WRITE_ATTEMPTS = 3;

class IsolationProbe {
  readonly #options: IsolationProbeOptions;
  readonly #random: ProbeRandom;
  readonly #documents = new PlantedDocuments();
  readonly #kinds = new Map<string, number>();
  readonly #statuses = new Map<number, number>();
  readonly #violations: IsolationViolation[] = [];
  #requests = 0;
  #ownShown = 0;
  #compared = 0;
  #disturbed = 0;

  constructor(options: IsolationProbeOptions, random: ProbeRandom) {
    this.#options = options;
    this.#random = random;
  }

  /** Writes a document of a caller, for all of its tenant or for some. */
  async plant(caller: ProbeCaller, worker: number, random = this.#random): Promise<void> {
    const document = this.#documents.draw(caller, worker, random);
    await this.#write(caller, document.request);
    this.#documents.add(document);
  }

  /** Asks for what nobody has, lets another tenant write it, and asks again: nothing may have changed. */
  async comparePair(): Promise<void> {
    const random = this.#random;
    const caller = random.of(this.#options.callers);
    const others = this.#options.callers.filter(({ tenant }) => tenant !== caller.tenant);
    if (others.length === 0) return;
    const other = random.of(others);
    const document = this.#documents.draw(other, 0, random);
    const requests = READS.map((draw) => draw({ ...this.#drawing(caller, random), sought: document }));
    const ask = async (): Promise<ProbeReply[]> => {
      const replies: ProbeReply[] = [];
      for (const request of requests) replies.push(await this.#send(request, caller, 'before and after'));
      return replies;
    };
    const before = await ask();
    await this.#write(other, document.request);
    this.#documents.add(document);
    const after = await ask();
    for (const [at, request] of requests.entries()) {
      const [one, two] = [before[at], after[at]];
      if (one === undefined || two === undefined) continue;
      const difference = differenceOf(comparableReply(one), comparableReply(two));
      if (difference !== undefined)
        this.#violate('another tenant shows in a reply', request, caller, difference);
    }
  }

  /** Sends what is drawn, one request after another. */
  async work(options: {
    readonly worker: number;
    readonly steps: number;
    readonly random: ProbeRandom;
  }): Promise<void> {
    const { worker, steps, random } = options;
    for (let step = 0; step < steps; step++) {
      const caller = random.of(this.#options.callers);
      const kind = random.weighted(WEIGHTS);
      if (kind === 'write') await this.plant(caller, worker, random);
      else if (kind === 'delete') await this.#deleteOne(worker, random);
      else if (kind === 'compare') await this.#compareAbsent(caller, random);
      else if (kind === 'refusal') await this.#sendRefused(caller, random);
      else await this.#send(drawRequest(kind, this.#drawing(caller, random)), caller, kind);
    }
  }

  /** Every document that is left is there for its writer and nobody else, and no other one. */
  async checkEnd(): Promise<void> {
    for (const document of this.#documents.all()) {
      const { owner, id, secret, isDeleted } = document;
      const request = lookup(id);
      const { status, body } = await this.#send(request, owner, 'end');
      if (isDeleted && status !== 404)
        this.#violate('document not deleted', request, owner, `status ${status}`);
      if (!isDeleted && (status !== 200 || !body.includes(secret)))
        this.#violate('document lost', request, owner, `status ${status}`);
    }
  }

  report(): IsolationReport {
    const documents = this.#documents.all();
    return {
      requests: this.#requests,
      kinds: Object.fromEntries(this.#kinds),
      statuses: Object.fromEntries(this.#statuses),
      written: documents.length,
      deleted: documents.filter(({ isDeleted }) => isDeleted).length,
      compared: this.#compared,
      disturbed: this.#disturbed,
      ownShown: this.#ownShown,
      violations: this.#violations,
    };
  }

  #drawing(caller: ProbeCaller, random: ProbeRandom) {
    return { caller, random, documents: this.#documents };
  }

  /** As clients do, a write that may pass (`retryable`) is sent again. */
  async #write(caller: ProbeCaller, request: ProbeRequest): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const { status, body } = await this.#send(request, caller, 'write');
      if (status === 200) return;
      if (attempt === WRITE_ATTEMPTS || !body.includes('"retryable":true'))
        throw new Error(`A document could not be written: ${status} ${body.slice(0, 500)}`);
    }
  }

  async #deleteOne(worker: number, random: ProbeRandom): Promise<void> {
    const document = this.#documents.living(random, worker);
    if (document === undefined) return;
    // From here on it may be gone.
    this.#documents.delete(document);
    const request: ProbeRequest = {
      method: 'DELETE',
      path: `/api/ai/rag/${encodeURIComponent(document.id)}`,
    };
    const { status } = await this.#send(request, document.owner, 'delete');
    if (status !== 204) this.#violate('document lost', request, document.owner, `deleting it gave ${status}`);
  }

  /** What may not be read and what is not there, asked in turn. */
  async #compareAbsent(caller: ProbeCaller, random: ProbeRandom): Promise<void> {
    const hidden = this.#documents.hiddenFrom(caller, random);
    if (hidden === undefined) return;
    const draw = random.of(REFUSALS);
    const forbidden = draw({ id: hidden.id, tenant: hidden.owner.tenant, caller });
    const unknownId = this.#documents.freshId(random);
    const absent = draw({ id: unknownId, tenant: `no-${random.word()}`, caller });
    const replies = [absent, forbidden, absent].map((request) => this.#send(request, caller, 'compare'));
    const [first, second, third] = (await Promise.all(replies)).map((reply, at) =>
      comparableReply(reply, [at === 1 ? hidden.id : unknownId, hidden.owner.tenant]),
    );
    if (first === undefined || second === undefined) return;
    this.#compared += 1;
    // Somebody else wrote meanwhile.
    if (differenceOf(first, third) !== undefined) {
      this.#disturbed += 1;
      return;
    }
    const difference = differenceOf(first, second);
    if (difference !== undefined)
      this.#violate('forbidden differs from absent', forbidden, caller, difference);
  }

  async #sendRefused(caller: ProbeCaller, random: ProbeRandom): Promise<void> {
    const request = drawRequest('search', this.#drawing(caller, random));
    const forged = random.of([NOBODY, ...(this.#options.forged ?? [])]);
    const { status } = await this.#deliver(request, forged, 'refusal');
    if (status !== 401)
      this.#violate('not refused', request, undefined, `status ${status}, ${forged ?? 'no key'}`);
  }

  async #send(request: ProbeRequest, caller: ProbeCaller, kind: string): Promise<ProbeReply> {
    const reply = await this.#deliver(request, caller.authorization, kind);
    const shown = this.#documents.shownIn(reply, request, caller);
    this.#ownShown += shown.own;
    for (const detail of shown.foreign) this.#violate('foreign document shown', request, caller, detail);
    if (reply.status >= 500)
      this.#violate('server error', request, caller, `${reply.status} ${reply.body.slice(0, 300)}`);
    return reply;
  }

  async #deliver(
    request: ProbeRequest,
    authorization: string | undefined,
    kind: string,
  ): Promise<ProbeReply> {
    this.#requests += 1;
    this.#kinds.set(kind, (this.#kinds.get(kind) ?? 0) + 1);
    const reply = await this.#options.send(request, authorization);
    this.#statuses.set(reply.status, (this.#statuses.get(reply.status) ?? 0) + 1);
    return reply;
  }

  #violate(
    kind: IsolationViolation['kind'],
    request: ProbeRequest,
    caller: ProbeCaller | undefined,
    detail: string,
  ): void {
    if (this.#violations.length < MOST_VIOLATIONS) this.#violations.push({ kind, caller, request, detail });
  }
}

/** How often each kind is drawn. */
const WEIGHTS: Readonly<Record<RequestKind | 'write' | 'delete' | 'compare' | 'refusal', number>> = {
  search: 30,
  answer: 8,
  lookup: 15,
  list: 8,
  tool: 10,
  hostile: 10,
  write: 6,
  delete: 4,
  compare: 10,
  refusal: 4,
};

const lookup = (id: string): ProbeRequest => ({
  method: 'GET',
  path: `/api/ai/rag/documents/${encodeURIComponent(id)}`,
});

type Comparable = ReturnType<typeof comparableReply>;

function differenceOf(one: Comparable, two: Comparable | undefined): string | undefined {
  const [first, second] = [one, two].map((reply) => JSON.stringify(reply));
  if (first === undefined || second === undefined || first === second) return undefined;
  const at = [...first].findIndex((character, index) => character !== second[index]);
  const around = (text: string): string => text.slice(Math.max(0, at - 60), at + 120);
  return `${around(first)} <-> ${around(second)}`;
}

/** They tell of the request, of its time and of its length in bytes alone. */
const OF_THE_REQUEST: ReadonlySet<string> = new Set(['x-request-id', 'date', 'content-length', 'keep-alive']);
const TIMES = /"(tookMs|stages|durationMs|usage)":(?:-?[\d.e+-]+|\{[^{}]*\})/g;

/** A reply without what differs between any two of the same kind: ids of requests, times, and the given words. */
function comparableReply(
  { status, headers, body }: ProbeReply,
  words: readonly string[] = [],
): { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string } {
  const id = headers['x-request-id'];
  const same = [...words, ...(id === undefined ? [] : [id])].reduce(
    (text, word) => text.replaceAll(word, '_'),
    body.replaceAll(TIMES, '"$1":_'),
  );
  const kept = Object.entries(headers).filter(([name]) => !OF_THE_REQUEST.has(name));
  return { status, headers: Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1))), body: same };
}
