import { canonicalJson } from '../../core/canonical-json.js';
import { contentHash } from '../../core/ids.js';
import { EVERYONE } from '../../core/scope.js';
import { statusOf } from '../http-errors.js';
import { accessGroups } from './access.js';
import type { Ancestor, Attachment, Comment, ConfluenceApi, PageSummary } from './confluence-api.js';
import type { Memberships } from './memberships.js';
import type { Principal, Readers } from './principals.js';
import type { SpaceReaders } from './space-readers.js';

/** Everything about a page that can change without a new version of it. */
export interface PageState {
  readonly summary: PageSummary;
  /** Outermost first. */
  readonly ancestors: readonly Ancestor[];
  readonly groups: readonly string[];
  readonly comments: readonly Comment[];
  readonly attachments: readonly Attachment[];
  /** Changes whenever the page or anything of this does. */
  readonly version: string;
}

export interface PageStateOptions {
  readonly api: ConfluenceApi;
  readonly memberships: Memberships;
  readonly readRestrictions: (id: string, signal: AbortSignal | undefined) => Promise<Readers>;
  /** Who finds what is not restricted, whatever the permissions of its space say; absent: who may view the space. */
  readonly openGroups: readonly string[] | undefined;
  readonly includeComments: boolean;
  readonly includeAttachments: boolean;
}

/** Finds out the states of pages; what pages share (restrictions and titles of those above) is asked for once. */
export class PageStates {
  readonly #options: PageStateOptions;
  readonly #summaries = new Map<string, PageSummary>();
  readonly #readers = new Map<string, Promise<Readers>>();
  /** Ids of pages whose restrictions could not be read, so that nobody may see them. */
  readonly unknownRestrictions = new Set<string>();
  /** Ids of pages by the keys of their spaces, where nobody can tell who may view them. */
  readonly pagesOfUntoldSpaces = new Map<string, Set<string>>();
  /** Ids of pages that nobody finds, because nobody is known to pass their restrictions and the permissions of their space. */
  readonly unreachable = new Set<string>();
  /** Ids of pages that more people may read, whose groups could not be told. */
  readonly unresolved = new Set<string>();
  readonly #spaces = new Map<string, Promise<SpaceReaders>>();

  constructor(options: PageStateOptions) {
    this.#options = options;
  }

  /** Makes a page known that others may lie below. */
  add(summary: PageSummary): void {
    this.#summaries.set(summary.id, summary);
  }

  async of(summary: PageSummary, signal: AbortSignal | undefined): Promise<PageState> {
    const { api, memberships, openGroups, includeComments, includeAttachments } = this.#options;
    const { id } = summary;
    const ancestors = await this.#ancestorsOf(summary, signal);
    const ids = [...ancestors.map((above) => above.id), id];
    const chain = await Promise.all(ids.map((each) => this.#readersOf(each, signal)));
    const space = openGroups === undefined ? await this.#readersOfSpace(summary, signal) : undefined;
    const restricted = [space, ...chain];
    const { groups, isComplete } = await jointReaders(restricted, openGroups ?? [EVERYONE], {
      memberships,
      signal,
    });
    if (!isComplete) this.unresolved.add(id);
    const isUntold =
      this.pagesOfUntoldSpaces.get(summary.spaceKey)?.has(id) === true ||
      ids.some((each) => this.unknownRestrictions.has(each));
    if (groups.length === 0 && !isUntold && restricted.some((readers) => readers !== undefined))
      this.unreachable.add(id);
    const comments = includeComments ? await api.comments(id, signal) : [];
    const attachments = includeAttachments ? await api.attachments(id, signal) : [];
    const facts = [
      [...groups],
      ancestors.map(({ title }) => title ?? ''),
      comments.map((comment) => `${comment.id}/${comment.version}`),
    ];
    const version = `${summary.version}-${contentHash(canonicalJson(facts)).slice(0, 16)}`;
    return { summary, ancestors, groups, comments, attachments, version };
  }

  async #ancestorsOf(summary: PageSummary, signal: AbortSignal | undefined): Promise<readonly Ancestor[]> {
    if (summary.ancestors !== undefined) return summary.ancestors;
    const chain: Ancestor[] = [];
    const seen = new Set([summary.id]);
    for (let at: PageSummary = summary; at.parentId !== undefined; ) {
      const parent = this.#summaries.get(at.parentId);
      // Above is what was not listed: a folder, or a page that a listing of changes has no reason to name.
      if (parent === undefined || seen.has(parent.id)) return this.#options.api.ancestors(summary.id, signal);
      seen.add(parent.id);
      chain.unshift({ id: parent.id, title: parent.title });
      at = parent;
    }
    return chain;
  }

  /** Undefined: everyone. */
  async #readersOfSpace({ id, spaceKey }: PageSummary, signal: AbortSignal | undefined): Promise<Readers> {
    const asked = this.#spaces.get(spaceKey) ?? this.#options.api.spaceReaders(spaceKey, signal);
    this.#spaces.set(spaceKey, asked);
    try {
      const { readers, isTold } = await asked;
      if (!isTold)
        this.pagesOfUntoldSpaces.set(spaceKey, (this.pagesOfUntoldSpaces.get(spaceKey) ?? new Set()).add(id));
      return readers;
    } catch (error) {
      this.#spaces.delete(spaceKey);
      throw error;
    }
  }

  #readersOf(id: string, signal: AbortSignal | undefined): Promise<Readers> {
    const known = this.#readers.get(id);
    if (known !== undefined) return known;
    const asked = this.#options.readRestrictions(id, signal).catch((error: unknown) => {
      const status = statusOf(error);
      if (status !== 403 && status !== 404) {
        this.#readers.delete(id);
        throw error;
      }
      // What nobody can tell is open to nobody.
      this.unknownRestrictions.add(id);
      return new Map();
    });
    this.#readers.set(id, asked);
    return asked;
  }
}

type List = NonNullable<Readers>;
type User = Extract<Principal, { type: 'user' }>;

interface JointReaders {
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
