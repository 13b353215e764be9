import * as z from 'zod';
import type { HttpClient } from '../http-client.js';

/** Who may read a page by its own restrictions: names of groups, and `user:ID`. Undefined where it has none. */
export type Readers = ReadonlySet<string> | undefined;

const restriction = z.object({
  restrictions: z.object({
    user: z.object({
      results: z.array(
        z.object({
          accountId: z.string().optional(),
          username: z.string().optional(),
          userKey: z.string().optional(),
        }),
      ),
    }),
    group: z.object({ results: z.array(z.object({ name: z.string() })) }),
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
  const { restrictions } = await client.json(
    {
      path: `/rest/api/content/${encodeURIComponent(id)}/restriction/byOperation/read`,
      query: { expand: 'restrictions.user,restrictions.group', start: 0, limit: LIMIT },
      signal,
    },
    restriction,
  );
  const users = restrictions.user.results.map(
    ({ accountId, username, userKey }) => `user:${accountId ?? username ?? userKey ?? ''}`,
  );
  const groups = restrictions.group.results.map(({ name }) => name);
  return users.length + groups.length === 0 ? undefined : new Set([...groups, ...users]);
}

/**
 * Groups that may read a page below these restrictions, its own and those of everything above it; a reader must pass them all.
 * A record's groups are alternatives, so only names that pass every restriction are kept: who would pass by two different
 * groups sees less than on the site, and nobody sees more.
 *
 * @param open groups where nothing is restricted
 */
export function accessGroups(chain: readonly Readers[], open: readonly string[]): string[] {
  const restricted = chain.filter((readers): readers is ReadonlySet<string> => readers !== undefined);
  const [first, ...others] = restricted;
  if (first === undefined) return [...open];
  return [...first].filter((name) => others.every((readers) => readers.has(name))).sort();
}
