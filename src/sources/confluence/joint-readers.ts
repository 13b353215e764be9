import { accessGroups } from './access.js';
import type { Memberships } from './memberships.js';
import type { Principal, Readers } from './principals.js';

type List = NonNullable<Readers>;
type User = Extract<Principal, { type: 'user' }>;

export interface JointReaders {
  readonly groups: readonly string[];
  /** Nobody else passes, as far as the site tells of users and groups. */
  readonly isComplete: boolean;
}

/**
 * Who passes all of these restrictions: names that stand in each, and single users whom their groups let pass. Who passes all
 * passes each, so the members of one list are all who come into question: those of the innermost, or where it has a group that
 * cannot be listed, those of the one outside it.
 *
 * @param open groups where nothing is restricted
 */
export async function jointReaders(
  chain: readonly Readers[],
  open: readonly string[],
  { memberships, signal }: { memberships: Memberships; signal: AbortSignal | undefined },
): Promise<JointReaders> {
  const found = new Set(accessGroups(chain, open));
  const lists = chain.filter((list): list is List => list !== undefined);
  const listed = new Map<string, List>();

  const standsIn = (list: List, isIn: (group: string) => boolean): boolean =>
    [...list.values()].some((one) => one.type === 'group' && isIn(one.id));
  const passes = async (name: string, user: User): Promise<boolean | undefined> => {
    const left = lists.filter(
      (list) => !list.has(name) && !standsIn(list, (id) => listed.get(id)?.has(name) === true),
    );
    if (left.length === 0) return true;
    const groups = await memberships.groupsOf(name, user, signal);
    return groups && left.every((list) => standsIn(list, (id) => groups.has(id)));
  };
  /** Whether all that is to be known of it was told. */
  const take = async (name: string, principal: Principal): Promise<boolean> => {
    if (found.has(name)) return true;
    if (principal.type === 'user') {
      const isPassing = await passes(name, principal);
      if (isPassing === true) found.add(name);
      return isPassing !== undefined;
    }
    const members = await memberships.membersOf(principal.id, signal);
    if (members === undefined) return false;
    listed.set(principal.id, members);
    return takeAll(members);
  };
  const takeAll = async (list: List): Promise<boolean> =>
    (await Promise.all([...list].map(([name, principal]) => take(name, principal)))).every(Boolean);

  let isComplete = lists.length < 2 || lists.some(({ size }) => size === 0);
  for (const list of lists.toReversed()) isComplete ||= await takeAll(list);
  return { groups: [...found].sort(), isComplete };
}
