import * as z from 'zod';
import { EVERYONE } from '../../core/scope.js';
import type { HttpClient } from '../http-client.js';
import { statusOf } from '../http-errors.js';
import type { Readers } from './access.js';

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
  return { readers: new Set(), isTold: false };
}

const operation = z.object({ targetType: z.string() });
const userNames = {
  accountId: z.string().nullish(),
  username: z.string().nullish(),
  userKey: z.string().nullish(),
};
const spaceWithPermissions = z.object({
  permissions: z
    .array(
      z.object({
        operation: operation.extend({ operation: z.string() }),
        anonymousAccess: z.boolean().nullish(),
        subjects: z
          .object({
            user: z.object({ results: z.array(z.object(userNames)) }).nullish(),
            group: z.object({ results: z.array(z.object({ name: z.string() })) }).nullish(),
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
  const names = new Set<string>();
  for (const { operation: made, anonymousAccess, subjects } of permissions ?? []) {
    if (made.operation !== 'read' || made.targetType !== 'space') continue;
    if (anonymousAccess === true) return undefined;
    for (const { name } of subjects?.group?.results ?? []) addName(names, name);
    for (const user of subjects?.user?.results ?? []) addUser(names, user);
  }
  return names;
}

const grants = z.array(
  z.object({
    operation: operation.extend({ operationKey: z.string() }),
    subject: z.object({
      type: z.string(),
      name: z.string().nullish(),
      displayName: z.string().nullish(),
      ...userNames,
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
  const names = new Set<string>();
  for (const { operation: made, subject } of await client.json({ path, signal }, grants)) {
    if (made.operationKey !== 'read' || made.targetType !== 'space') continue;
    if (subject.type === 'anonymous') return undefined;
    if (subject.type !== 'group') addUser(names, subject);
    // The name that is shown of a group is its own, that of a user is not.
    else addName(names, subject.name ?? subject.displayName);
  }
  return names;
}

interface NamedUser {
  readonly accountId?: string | null | undefined;
  readonly username?: string | null | undefined;
  readonly userKey?: string | null | undefined;
}

function addUser(names: Set<string>, { accountId, username, userKey }: NamedUser): void {
  const id = accountId ?? username ?? userKey;
  if (id != null && id !== '') names.add(`user:${id}`);
}

/** A group that is called as everyone is none of those that are told. */
function addName(names: Set<string>, name: string | null | undefined): void {
  if (name != null && name !== '' && name !== EVERYONE) names.add(name);
}
