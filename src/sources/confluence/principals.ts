import * as z from 'zod';
import { EVERYONE } from '../../core/scope.js';

/** A user or a group, as a site is asked about it. */
export type Principal =
  | { readonly type: 'user'; readonly query: Readonly<Record<string, string>> }
  | { readonly type: 'group'; readonly id: string };

/** Who may read something, by names: of groups as they are, of users as `user:ID`. Undefined: everyone. */
export type Readers = ReadonlyMap<string, Principal> | undefined;

export const namedUser = z.object({
  accountId: z.string().nullish(),
  username: z.string().nullish(),
  userKey: z.string().nullish(),
});
/** Data Center knows groups by their names alone. */
export const namedGroup = z.object({ name: z.string().nullish(), id: z.string().nullish() });

const USER = 'user:';

/** A user without an id is left out. */
export function addUser(
  readers: Map<string, Principal>,
  { accountId, username, userKey }: z.infer<typeof namedUser>,
): void {
  if (accountId) readers.set(USER + accountId, { type: 'user', query: { accountId } });
  else if (username) readers.set(USER + username, { type: 'user', query: { username } });
  else if (userKey) readers.set(USER + userKey, { type: 'user', query: { key: userKey } });
}

/** A group without a name, or called as everyone or as a user, is left out. */
export function addGroup(readers: Map<string, Principal>, { name, id }: z.infer<typeof namedGroup>): void {
  if (name && name !== EVERYONE && !name.startsWith(USER))
    readers.set(name, { type: 'group', id: id ?? name });
}
