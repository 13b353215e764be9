import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RAGError } from '../../../index.js';
import { SharedPlaces } from './shared-places.js';

/** Takes places for a tenant until it is refused. */
function fill(places: SharedPlaces, tenant: string): number {
  for (let taken = 0; ; taken += 1) {
    try {
      places.take().giveTo(tenant);
    } catch {
      return taken;
    }
  }
}

describe('places that tenants share', () => {
  test('two tenants that take all they get leave some to a third and a fourth', () => {
    const places = new SharedPlaces({ most: 256, mostOfTenant: 128 });
    expect(['a', 'b', 'c', 'd'].map((tenant) => fill(places, tenant))).toEqual([128, 96, 16, 8]);
  });

  test('a tenant alone gets its number, and nearly all where it has none', () => {
    expect(fill(new SharedPlaces({ most: 256, mostOfTenant: 128 }), 'a')).toBe(128);
    expect(fill(new SharedPlaces({ most: 256, mostOfTenant: 0 }), 'a')).toBe(224);
    expect(fill(new SharedPlaces({ most: 2, mostOfTenant: 0 }), 'a')).toBe(2);
    expect(fill(new SharedPlaces({ most: 0, mostOfTenant: 7 }), 'a')).toBe(7);
  });

  test('of bytes a tenant gets its share, another one its own, and a refused body leaves what it held', () => {
    const bytes = new SharedPlaces({
      most: 800,
      mostOfTenant: 300,
      shareError: () => new RAGError('SERVICE_UNAVAILABLE', 'share'),
    });
    const body = (tenant: string) => {
      const held = bytes.take(0);
      held.giveTo(tenant);
      return held;
    };
    const [first, second] = [body('a'), body('a')];
    first.grow(200);
    second.grow(100);
    expect(() => second.grow(1)).toThrow('share');
    second.grow(5);
    body('a').grow(100);
    body('b').grow(300);
    const small = body('c');
    small.grow(100);
    // The last part is for those who hold less than is left.
    expect(() => small.grow(50)).toThrow('share');
    body('d').grow(99);
    first.leave();
    first.leave();
    body('c').grow(200);
    expect(() => body('e').grow(400)).toThrow('more to do than it can');
  });

  test('in any order of taking and leaving as many are free in the end as in the beginning', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.boolean())), (steps) => {
        const places = new SharedPlaces({ most: 16, mostOfTenant: 4 });
        const held: { leave(): void }[] = [];
        for (const [tenant, isTaking] of steps) {
          if (!isTaking) {
            const place = held.pop();
            place?.leave();
            place?.leave();
            continue;
          }
          try {
            const place = places.take();
            place.giveTo(tenant);
            held.push(place);
          } catch (error) {
            expect(error).toMatchObject({
              reason: expect.stringMatching(/RATE_LIMITED|SERVICE_UNAVAILABLE/),
            });
          }
        }
        for (const { leave } of held) leave();
        expect(['a', 'b', 'c', 'd', 'e', 'f'].map((tenant) => fill(places, tenant))).toEqual([
          4, 4, 4, 2, 1, 1,
        ]);
      }),
    );
  });
});
