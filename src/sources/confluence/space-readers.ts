import * as z from 'zod';
import type { HttpClient } from '../http-client.js';
import { statusOf } from '../http-errors.js';
import { addGroup, addUser, namedGroup, namedUser, type Principal, type Readers } from './principals.js';

/** What a site says where an account may not see permissions, or where it does not have the resource. */
const NOT_TOLD: ReadonlySet<number | undefined> = new Set([403, 404, 410]);

export const isNotTold = (error: unknown): boolean => NOT_TOLD.has(statusOf(error));

/** Who may view a space, and whether that could be read: what nobody can tell is open to nobody. */
export interface SpaceReaders {
  readonly readers: Readers;
  readonly isTold: boolean;
}

/** The first of several ways of asking that is answered. */
export async function firstTold(ways: readonly (() => Promise<Readers>)[]): Promise<SpaceReaders> {
  for (const ask of ways)
    try {
      return { readers: await ask(), isTold: true };
    } catch (error) {
      if (!isNotTold(error)) throw error;
    }
  return { readers: new Map(), isTold: false };
}

const operation = z.object({ targetType: z.string() });
const spaceWithPermissions = z.object({
  permissions: z
    .array(
      z.object({
        operation: operation.extend({ operation: z.string() }),
        anonymousAccess: z.boolean().nullish(),
        subjects: z
          .object({
            user: z.object({ results: z.array(namedUser) }).nullish(),
            group: z.object({ results: z.array(namedGroup) }).nullish(),
          })
          .nullish(),
      }),
    )
    .nullish(),
});

/** Of a space with `expand=permissions` (v1, Cloud and Data Center). Throws what `HttpClient` throws; undefined: everyone. */
export async function expandedSpaceReaders(
  client: HttpClient,
  key: string,
  signal: AbortSignal | undefined,
): Promise<Readers> {
  const path = `/rest/api/space/${encodeURIComponent(key)}`;
  const { permissions } = await client.json(
    { path, query: { expand: 'permissions' }, signal },
    spaceWithPermissions,
  );
  const readers = new Map<string, Principal>();
  for (const { operation: made, anonymousAccess, subjects } of permissions ?? []) {
    if (made.operation !== 'read' || made.targetType !== 'space') continue;
    if (anonymousAccess === true) return undefined;
    for (const group of subjects?.group?.results ?? []) addGroup(readers, group);
    for (const user of subjects?.user?.results ?? []) addUser(readers, user);
  }
  return readers;
}

const grants = z.array(
  z.object({
    operation: operation.extend({ operationKey: z.string() }),
    subject: namedUser.extend({
      type: z.string(),
      name: z.string().nullish(),
      displayName: z.string().nullish(),
    }),
  }),
);

/** Of the list of a space's permissions (Data Center 8.9 and later). Throws what `HttpClient` throws; undefined: everyone. */
export async function listedSpaceReaders(
  client: HttpClient,
  key: string,
  signal: AbortSignal | undefined,
): Promise<Readers> {
  const path = `/rest/api/space/${encodeURIComponent(key)}/permissions`;
  const readers = new Map<string, Principal>();
  for (const { operation: made, subject } of await client.json({ path, signal }, grants)) {
    if (made.operationKey !== 'read' || made.targetType !== 'space') continue;
    if (subject.type === 'anonymous') return undefined;
    if (subject.type !== 'group') addUser(readers, subject);
    // The name that is shown of a group is its own, that of a user is not.
    else addGroup(readers, { name: subject.name ?? subject.displayName });
  }
  return readers;
}
