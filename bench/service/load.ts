import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';
import { quantile, rounded } from '../shared/statistics.js';

/** Requests that were sent for some time, and how they were answered. */
export interface LoadResult {
  /** Answers with 200, in a second. */
  readonly rate: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly answered: number;
  /** Refused with 503, as an overloaded service does. */
  readonly refused: number;
  readonly failed: number;
}

export interface Client {
  readonly connections: number;
  /** The status, and the body of a 200. */
  send(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<Reply>;
  close(): Promise<void>;
}

export interface Reply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export function connect(url: string, connections: number): Client {
  const pool = new Pool(url, { connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });
  return {
    connections,
    send: async (method, path, body) => {
      const { statusCode, body: answer } = await pool.request({
        method,
        path,
        ...(body === undefined
          ? {}
          : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      return { status: statusCode, body: text === '' ? {} : (JSON.parse(text) as Reply['body']) };
    },
    close: () => pool.close(),
  };
}

type Send = (number: number) => Promise<Reply>;

/** As many requests as there are connections, each followed by the next: the highest rate. */
export async function closedLoop(send: Send, connections: number, seconds: number): Promise<LoadResult> {
  const tally = new Tally();
  const end = performance.now() + seconds * 1000;
  let number = 0;
  const worker = async (): Promise<void> => {
    while (performance.now() < end) await tally.take(performance.now(), send(number++));
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: connections }, worker));
  return tally.result((performance.now() - start) / 1000);
}

/** Requests at even distances, whether or not those before are answered; each is timed from the moment that it was due. */
export async function openLoop(send: Send, rate: number, seconds: number): Promise<LoadResult> {
  const tally = new Tally();
  const start = performance.now();
  const count = Math.max(1, Math.round(rate * seconds));
  const sent: Promise<void>[] = [];
  for (let number = 0; number < count; number++) {
    const due = start + (number * 1000) / rate;
    const early = due - performance.now();
    if (early > 1) await wait(early);
    sent.push(tally.take(due, send(number)));
  }
  await Promise.all(sent);
  return tally.result((performance.now() - start) / 1000);
}

class Tally {
  readonly #times: number[] = [];
  #refused = 0;
  #failed = 0;

  async take(start: number, answer: Promise<Reply>): Promise<void> {
    const { status } = await answer.catch(() => ({ status: 0 }));
    if (status === 200) this.#times.push(performance.now() - start);
    else if (status === 503) this.#refused += 1;
    else this.#failed += 1;
  }

  result(seconds: number): LoadResult {
    const at = (share: number): number => rounded(quantile(this.#times, share));
    return {
      rate: rounded(this.#times.length / seconds),
      p50Ms: at(0.5),
      p95Ms: at(0.95),
      p99Ms: at(0.99),
      answered: this.#times.length,
      refused: this.#refused,
      failed: this.#failed,
    };
  }
}
