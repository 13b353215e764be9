import * as z from 'zod';
import type { HttpClient, HttpRequest } from '../http-client.js';
import { statusOf } from '../http-errors.js';
import { listAnswer } from './list-answer.js';
import { addUser, namedGroup, namedUser, type Principal } from './principals.js';
import { isNotTold } from './space-readers.js';

/** Users, and groups, that are asked about in one run. */
const MAX_ASKED = 2000;
const MAX_GROUPS = 500;
/** Members of a group that are looked at one by one. */
const MAX_MEMBERS = 200;
const PAGE_SIZE = 200;
/** What is asked for, in words. */
export const MEMBERSHIP_LIMITS = `${MAX_MEMBERS} members of a group, ${MAX_GROUPS} groups of a user, ${MAX_ASKED} users and ${MAX_ASKED} groups a run`;

type User = Extract<Principal, { type: 'user' }>;

/** Which users are in which groups (v1, Cloud and Data Center), asked once. Every method throws what `HttpClient` throws. */
export class Memberships {
  readonly #client: Pick<HttpClient, 'json'>;
  readonly #membersPath: (id: string) => string;
  readonly #groups = new Map<string, Promise<ReadonlySet<string> | undefined>>();
  readonly #members = new Map<string, Promise<ReadonlyMap<string, Principal> | undefined>>();

  /** @param membersPath path of the list of a group's members */
  constructor(client: Pick<HttpClient, 'json'>, membersPath: (id: string) => string) {
    this.#client = client;
    this.#membersPath = membersPath;
  }

  /** Ids of a user's groups; undefined where the site does not tell, or they are too many. */
  groupsOf(
    name: string,
    { query }: User,
    signal: AbortSignal | undefined,
  ): Promise<ReadonlySet<string> | undefined> {
    return askOnce(this.#groups, name, async () => {
      const request = { path: '/rest/api/user/memberof', query, signal };
      const groups = await this.#list(request, namedGroup, MAX_GROUPS);
      return groups && new Set(groups.flatMap(({ id, name: groupName }) => id ?? groupName ?? []));
    });
  }

  /** Members of a group; undefined where the site does not tell, or they are too many. */
  membersOf(
    id: string,
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<string, Principal> | undefined> {
    return askOnce(this.#members, id, async () => {
      const users = await this.#list({ path: this.#membersPath(id), signal }, namedUser, MAX_MEMBERS);
      if (users === undefined) return undefined;
      const members = new Map<string, Principal>();
      for (const user of users) addUser(members, user);
      return members;
    });
  }

  /** A whole list; undefined where it holds more than that many. Not every site gives a link to what comes next. */
  async #list<T>(request: HttpRequest, item: z.ZodType<T>, most: number): Promise<T[] | undefined> {
    const list = listAnswer(item).extend({ limit: z.number().nullish() });
    const all: T[] = [];
    while (all.length <= most) {
      const query = { ...request.query, start: all.length, limit: PAGE_SIZE };
      const { results, limit, _links } = await this.#client.json({ ...request, query }, list);
      all.push(...results);
      const isLast = _links?.next == null && results.length < (limit ?? PAGE_SIZE);
      if (results.length === 0 || isLast) return all.length <= most ? all : undefined;
    }
    return undefined;
  }
}

/** Undefined where the site refuses, or enough was asked. */
function askOnce<T>(
  asked: Map<string, Promise<T | undefined>>,
  name: string,
  ask: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const known = asked.get(name);
  if (known !== undefined) return known;
  if (asked.size >= MAX_ASKED) return Promise.resolve(undefined);
  const answer = ask().catch((error: unknown) => {
    // 400: of a user that has gone, or a name that the site takes in no address.
    if (isNotTold(error) || statusOf(error) === 400) return undefined;
    asked.delete(name);
    throw error;
  });
  asked.set(name, answer);
  return answer;
}
