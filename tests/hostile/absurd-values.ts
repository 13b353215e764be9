import fc from 'fast-check';

/** Values that programs hand in by accident or to do harm. Made anew each time, for some can be used once. */
const MAKERS: Readonly<Record<string, () => unknown>> = {
  'nested 20,000 levels deep': () => nested(20_000, (inner) => ({ a: inner })),
  'lists 20,000 levels deep': () => nested(20_000, (inner) => [inner]),
  'not 20,000 times': () => nested(20_000, (filter) => ({ op: 'not', filter })),
  'and 300 times': () => nested(300, (filter) => ({ op: 'and', filters: [filter] })),
  'a cycle': () => {
    const cycle: Record<string, unknown> = { id: 'a', text: 'b' };
    cycle.self = cycle;
    return cycle;
  },
  'a cycle of lists': () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    return cycle;
  },
  'a small graph that is a huge tree': () => nested(60, (inner) => [inner, inner, inner]),
  'a list of nothing, four thousand million long': () => new Array(2 ** 32 - 1),
  'a list with a hole': () => Object.assign(new Array(3), { 0: 'a', 2: 'b' }),
  'a getter that throws': () => ({
    get text() {
      throw new TypeError('no');
    },
  }),
  'a proxy that throws': () => new Proxy({}, { ownKeys: fail, get: fail, getPrototypeOf: fail, has: fail }),
  'a list that throws': () => new Proxy(['a'], { get: fail }),
  'a proxy that was revoked': () => revoked({}),
  'a list that was revoked': () => revoked([]),
  'an object of a class': () =>
    new (class Document {
      id = 'a';
      text = 'b';
    })(),
  'a signal that is none': () => ({ aborted: false }),
  'a proxy of a signal': () => new Proxy(new AbortController().signal, {}),
  'a date that is none': () => new Date(Number.NaN),
  'half of a pair': () => 'a \ud800 b',
  'a NUL': () => 'a\0b',
  'a long text': () => 'lorem '.repeat(50_000),
  'a long word': () => 'x'.repeat(300_000),
  'a key of a prototype': () => JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}'),
  'its own JSON': () => ({ toJSON: () => ({ id: 'a' }) }),
};

const SCALARS: readonly unknown[] = [
  undefined,
  null,
  true,
  0,
  -1,
  0.5,
  1e9,
  2 ** 53,
  -0,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  10n ** 30n,
  Symbol('x'),
  () => 1,
  new Date(0),
  new Map([['a', 1]]),
  new Uint8Array(3),
  /x/,
  Object(1n),
  '',
  ' ',
  [],
  {},
];

const makers = Object.entries(MAKERS).map(([name, make]) =>
  fc.constant(make).map((build) => named(name, build())),
);

/** Any value at all, JSON or not. */
export const absurd: fc.Arbitrary<{ readonly value: unknown }> = fc.oneof(
  { weight: 3, arbitrary: fc.oneof(...makers) },
  { weight: 2, arbitrary: fc.constantFrom(...SCALARS).map((value) => ({ value })) },
  {
    weight: 3,
    arbitrary: fc
      .anything({
        withBigInt: true,
        withBoxedValues: true,
        withDate: true,
        withMap: true,
        withNullPrototype: true,
        withObjectString: true,
        withSet: true,
        withSparseArray: true,
        withTypedArray: true,
      })
      .map((value) => ({ value })),
  },
  { weight: 2, arbitrary: fc.jsonValue().map((value) => ({ value })) },
);

/** Shown by its name: some of them cannot be printed. */
const named = (name: string, value: unknown) =>
  Object.defineProperties({ value }, { [fc.toStringMethod]: { value: () => name } });

function nested(levels: number, around: (inner: unknown) => unknown): unknown {
  let value: unknown = 'inmost';
  for (let level = 0; level < levels; level++) value = around(value);
  return value;
}

function fail(): never {
  throw new TypeError('no');
}

function revoked(target: object): unknown {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}
