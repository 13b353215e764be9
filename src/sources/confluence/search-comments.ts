import * as z from 'zod';
import { AnswerTrail, parameterOf } from '../answer-trail.js';
import type { HttpClient } from '../http-client.js';
import { listAnswer } from './list-answer.js';

const PAGE_SIZE = 100;

const found = listAnswer(
  z.object({
    version: z.object({ when: z.string() }),
    container: z.object({ id: z.union([z.string(), z.number()]) }),
  }),
);

/** Hours that cover every time zone: CQL takes its times in the zone of the account, which nobody else knows. */
const ZONE_HOURS = 15;

/** A time in CQL, early enough in any time zone. */
export function cqlTime(since: string): string {
  const early = new Date(Date.parse(since) - ZONE_HOURS * 3_600_000);
  return early.toISOString().slice(0, 16).replaceAll('-', '/').replace('T', ' ');
}

/** A text as a value of CQL. */
export const cqlText = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

/** Pages with comments made or changed since then, by the search of REST v1, which both kinds of site have. */
export async function* commentedPages(
  client: HttpClient,
  { keys, since, signal }: { keys: readonly string[]; since: string; signal: AbortSignal | undefined },
): AsyncGenerator<string> {
  if (keys.length === 0) return;
  const cql = `type = comment and space in (${keys.map(cqlText).join(', ')}) and lastmodified >= ${cqlText(cqlTime(since))}`;
  const trail = new AnswerTrail('The search for comments');
  let position: Readonly<Record<string, string>> = {};
  for (;;) {
    trail.follow(JSON.stringify(position));
    const query = { cql, expand: 'container,version', limit: PAGE_SIZE, ...position };
    const answer = await client.json({ path: '/rest/api/content/search', query, signal }, found);
    for (const { container, version } of answer.results)
      if (Date.parse(version.when) >= Date.parse(since)) yield String(container.id);
    const next = answer._links?.next;
    if (next == null) return;
    // Cloud goes on by a cursor, Data Center by a number.
    position = Object.fromEntries(
      ['cursor', 'start'].flatMap((name) => {
        const value = parameterOf(next, name);
        return value === undefined ? [] : [[name, value]];
      }),
    );
  }
}
