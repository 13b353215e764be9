import { describe, expect, test, vi } from 'vitest';
import type * as z from 'zod';
import { RAGError } from '../../core/errors.js';
import type { HttpRequest } from '../http-client.js';
import { Memberships } from './memberships.js';
import { jointReaders } from './page-state.js';
import type { Principal } from './principals.js';

const ANN = { type: 'user', query: { accountId: 'ann' } } as const;

/** A site that gives these answers to every request. */
function asking(answer: (request: HttpRequest) => unknown) {
  const json = vi.fn((request: HttpRequest, schema: z.ZodType) =>
    Promise.resolve().then(() => schema.parse(answer(request))),
  );
  const client = { json: json as <T>(request: HttpRequest, schema: z.ZodType<T>) => Promise<T> };
  return { json, memberships: new Memberships(client, (id) => `/members/${id}`) };
}

const results = (count: number, from = 0) => ({
  results: Array.from({ length: count }, (_, at) => ({ accountId: `u${from + at}`, name: `g${from + at}` })),
});

describe('memberships', () => {
  test('are told of as many members and groups as are read, and of none where there are more', async () => {
    const site = (all: number) =>
      asking(({ query }) => {
        const start = Number(query?.start);
        return { ...results(Math.min(100, all - start), start), limit: 100 };
      }).memberships;
    expect((await site(200).membersOf('g', undefined))?.size).toBe(200);
    expect(await site(201).membersOf('g', undefined)).toBeUndefined();
    expect((await site(500).groupsOf('user:ann', ANN, undefined))?.size).toBe(500);
    expect(await site(501).groupsOf('user:ann', ANN, undefined)).toBeUndefined();
  });

  test('of a site whose list has no end are not told', async () => {
    const { json, memberships } = asking(() => ({ ...results(50), _links: { next: '/again' } }));
    expect(await memberships.membersOf('g', undefined)).toBeUndefined();
    expect(json.mock.calls.length).toBeLessThan(10);
  });

  test('are asked for of 2,000 users a run, and of those once', async () => {
    const { json, memberships } = asking(() => results(1));
    for (let at = 0; at < 2000; at++) await memberships.groupsOf(`user:u${at}`, ANN, undefined);
    expect(await memberships.groupsOf('user:one-more', ANN, undefined)).toBeUndefined();
    expect((await memberships.groupsOf('user:u7', ANN, undefined))?.size).toBe(1);
    expect(json).toHaveBeenCalledTimes(2000);
  });

  test.each([400, 403, 404, 410])('that a site refuses with %i are not told', async (status) => {
    const { memberships } = asking(() => {
      throw new RAGError('SOURCE_REJECTED', 'refused', { details: { status } });
    });
    expect(await memberships.groupsOf('user:ann', ANN, undefined)).toBeUndefined();
  });

  test('that fail for a while are an error, and asked for anew', async () => {
    let isDown = true;
    const { memberships } = asking(() => {
      if (isDown) throw new RAGError('SOURCE_UNREADABLE', 'down', { details: { status: 503 } });
      return results(1);
    });
    await expect(memberships.membersOf('g', undefined)).rejects.toMatchObject({
      reason: 'SOURCE_UNREADABLE',
    });
    isDown = false;
    expect((await memberships.membersOf('g', undefined))?.size).toBe(1);
  });
});

test('a group of the same name and another id lets nobody in', async () => {
  const list = (name: string, principal: Principal) => new Map([[name, principal]]);
  const chain = [list('staff', { type: 'group', id: '1' }), list('user:ann', ANN)];
  const passing = async (id: string) => {
    const { memberships } = asking(({ path }) => ({
      results: path.startsWith('/members') ? [] : [{ name: 'staff', id }],
    }));
    return (await jointReaders(chain, [], { memberships, signal: undefined })).groups;
  };
  expect(await passing('1')).toEqual(['user:ann']);
  expect(await passing('2')).toEqual([]);
});
