import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller, KnownDocuments } from './known-documents.js';
import { TIMEOUT_MS } from './scene.js';

/** What a service answered. */
export interface Answered {
  readonly status: number;
  readonly text: string;
  readonly tookMs: number;
  /** 5 where it says none. */
  readonly level: number | undefined;
}

/** What was answered in a run, for the report. */
export interface LoadReport {
  searches: number;
  answers: number;
  writes: number;
  acknowledged: number;
  readonly levels: Record<string, number>;
  readonly statuses: Record<string, number>;
  slowestMs: number;
  slowestWriteMs: number;
}

export const newReport = (): LoadReport => ({
  searches: 0,
  answers: 0,
  writes: 0,
  acknowledged: 0,
  levels: {},
  statuses: {},
  slowestMs: 0,
  slowestWriteMs: 0,
});

/** A machine under load is late for itself. */
const BUSY_MS = 10_000;
const WORDS = ['quokka', 'wombat', 'numbat', 'bilby', 'dingo', 'possum', 'glider', 'echidna'];
export const DOCUMENTS = 8;
/** Of groups that may read a document from then on. */
const READERS: readonly (readonly string[])[] = [['hr'], ['it'], ['hr', 'it']];

export interface LoadOptions {
  readonly url: string;
  readonly readers: readonly Caller[];
  /** Each writes documents of its tenant, of its own numbers. */
  readonly writers: readonly Caller[];
  readonly known: KnownDocuments;
  readonly random: () => number;
  readonly report: LoadReport;
}

/** Searches, questions and writes of several tenants until it is stopped; whatever was answered wrongly. */
export class Load {
  readonly violations: string[] = [];
  readonly #options: LoadOptions;
  readonly #clients: Promise<void>[] = [];
  #isStopped = false;
  #number = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
    const { readers, writers } = options;
    for (const caller of readers) this.#clients.push(this.#repeat(() => this.#read(caller)));
    for (const caller of writers) this.#clients.push(this.#repeat(() => this.#write(caller)));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#clients);
  }

  async #repeat(work: () => Promise<void>): Promise<void> {
    while (!this.#isStopped) {
      await work();
      await sleep(20 + this.#options.random() * 60);
    }
  }

  async #read(caller: Caller): Promise<void> {
    const { random, report, url } = this.#options;
    const word = WORDS[Math.floor(random() * WORDS.length)];
    // Some are asked again and again, others never were.
    const query = random() < 0.4 ? `the ${word}` : `${word} of ${this.#number++} gardens`;
    if (random() < 0.15) {
      report.answers++;
      this.checked(
        caller,
        'answer',
        await ask(url, caller, 'POST', '/api/ai/rag/answer', {
          question: `What is the ${word} of note ${Math.floor(random() * DOCUMENTS)}?`,
          tenantId: caller.tenant,
        }),
      );
      return;
    }
    report.searches++;
    this.checked(caller, 'search', await search(url, caller, query));
  }

  /** Holds a response against what is known, and notes it. */
  checked(caller: Caller, what: string, { answered, from, to }: Timed): Answered {
    const { known, report } = this.#options;
    const { status, text, level, tookMs } = answered;
    const wrong = (problem: string): void =>
      void this.violations.push(`${what} of ${caller.name}: ${problem}`);
    for (const problem of known.violations(text, caller, { from, to })) wrong(problem);
    report.slowestMs = Math.max(report.slowestMs, tookMs);
    report.statuses[status] = (report.statuses[status] ?? 0) + 1;
    report.levels[String(level)] = (report.levels[String(level)] ?? 0) + 1;
    if (tookMs > TIMEOUT_MS + BUSY_MS) wrong(`it took ${tookMs} ms`);
    if (status !== 200 && status !== 503 && status !== 504) wrong(`${status}: ${text.slice(0, 300)}`);
    if (text.includes('REQUEST_TIMEOUT'))
      wrong(`no part of it was bounded by its own limit: ${text.slice(0, 300)}`);
    if (level === undefined) wrong(`it does not say its level: ${status} ${text.slice(0, 300)}`);
    if (status !== 200 && !/"parts":\["/.test(text))
      wrong(`it does not say what is out: ${text.slice(0, 300)}`);
    return answered;
  }

  async #write(caller: Caller): Promise<void> {
    const { random, known, report, url, writers } = this.#options;
    const document = Math.floor(random() * DOCUMENTS) * writers.length + writers.indexOf(caller);
    const isDeletion = random() < 0.2;
    const groups = isDeletion ? undefined : (READERS[Math.floor(random() * READERS.length)] ?? []);
    const version = known.begin(caller.tenant, document, groups, performance.now());
    report.writes++;
    const { answered, to } = isDeletion
      ? await ask(url, caller, 'DELETE', `/api/ai/rag/note-${document}`)
      : await ask(url, caller, 'POST', '/api/ai/rag/index', {
          id: `note-${document}`,
          tenantId: caller.tenant,
          content: textOf(document, version.token),
          access: { groups },
        });
    const { status, text, tookMs } = answered;
    report.slowestWriteMs = Math.max(report.slowestWriteMs, tookMs);
    const wrong = (problem: string): void => void this.violations.push(`write of ${caller.name}: ${problem}`);
    if (tookMs > TIMEOUT_MS + BUSY_MS) wrong(`it took ${tookMs} ms`);
    // Deleting what is not there, or what this caller may not see, changes nothing.
    if (status === 200 || status === 204 || (isDeletion && status === 404)) {
      report.acknowledged++;
      version.acknowledge(to);
    } else if (status !== 503 && status !== 504) wrong(`${status}: ${text.slice(0, 300)}`);
    else if (!/"parts":\["/.test(text)) wrong(`it does not say what is out: ${text.slice(0, 300)}`);
  }
}

/** A note of many words, so that every question finds some. */
export const textOf = (document: number, token: string): string =>
  `The ${WORDS[document % WORDS.length]} of note ${document} is ${token}.\n\nThe ${WORDS[(document + 3) % WORDS.length]} lives beside the gardens of the ${WORDS[(document + 5) % WORDS.length]}.\n`;

interface Timed {
  readonly answered: Answered;
  readonly from: number;
  readonly to: number;
}

export const search = (url: string, caller: Caller, query: string): Promise<Timed> =>
  ask(url, caller, 'POST', '/api/ai/rag/search', { query, minScore: 0, topK: 20, tenantId: caller.tenant });

async function ask(url: string, caller: Caller, method: string, path: string, body?: object): Promise<Timed> {
  const from = performance.now();
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${caller.key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const to = performance.now();
  const level = /"degradationLevel":(\d)/.exec(text)?.[1];
  return {
    answered: {
      status: response.status,
      text,
      tookMs: Math.round(to - from),
      level: level === undefined ? undefined : Number(level),
    },
    from,
    to,
  };
}
