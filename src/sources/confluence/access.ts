import * as z from 'zod';
import type { HttpClient } from '../http-client.js';
import { addGroup, addUser, namedGroup, namedUser, type Principal, type Readers } from './principals.js';

const restriction = z.object({
  restrictions: z.object({
    user: z.object({ results: z.array(namedUser) }),
    group: z.object({ results: z.array(namedGroup) }),
  }),
});

/** Users and groups that one answer holds; more of them on one page are left out, so that they see less, never more. */
const LIMIT = 100;

/** Reads the read restrictions of one page (the same request on Cloud and Data Center). */
export async function readRestrictions(
  client: HttpClient,
  id: string,
  signal: AbortSignal | undefined,
): Promise<Readers> {
  const {
    restrictions: { user, group },
  } = await client.json(
    {
      path: `/rest/api/content/${encodeURIComponent(id)}/restriction/byOperation/read`,
      query: { expand: 'restrictions.user,restrictions.group', start: 0, limit: LIMIT },
      signal,
    },
    restriction,
  );
  if (user.results.length + group.results.length === 0) return undefined;
  const readers = new Map<string, Principal>();
  for (const one of group.results) addGroup(readers, one);
  for (const one of user.results) addUser(readers, one);
  return readers;
}

/** Names of readers. */
interface Names {
  has(name: string): boolean;
  keys(): Iterable<string>;
}

/**
 * Names that stand in all of these restrictions: of a page, of everything above it, of its space. A record's groups are
 * alternatives, so who passes by two different groups is none of them.
 *
 * @param open groups where nothing is restricted
 */
export function accessGroups(chain: readonly (Names | undefined)[], open: readonly string[]): string[] {
  const restricted = chain.filter((readers): readers is Names => readers !== undefined);
  const [first, ...others] = restricted;
  if (first === undefined) return [...open];
  return [...first.keys()].filter((name) => others.every((readers) => readers.has(name))).sort();
}
