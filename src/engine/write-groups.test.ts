import { expect, test } from 'vitest';
import { RAGError } from '../core/errors.js';
import { OpenWork } from './open-work.js';
import { type GroupedWrite, WriteGroups } from './write-groups.js';

interface TestWrite extends GroupedWrite {
  readonly name: string;
}

const write = (name: string, { kind = 'a', touches = [name], size = 1 } = {}): TestWrite => ({
  name,
  kind,
  touches,
  size,
});

const never = new AbortController().signal;

/** Groups that are let go one by one. */
function heldGroups(refuse: (names: readonly string[]) => RAGError | undefined = () => undefined) {
  const done: string[][] = [];
  const gates: { readonly open: () => void; readonly signal: AbortSignal }[] = [];
  const work = new OpenWork();
  const groups = new WriteGroups<TestWrite, string>(work, async (writes, signal) => {
    const names = writes.map(({ name }) => name);
    await new Promise<void>((open) => gates.push({ open, signal }));
    signal.throwIfAborted();
    done.push(names);
    const refused = refuse(names);
    if (refused !== undefined) throw refused;
    return names.map((name) => (name.startsWith('bad') ? new RAGError('DOCUMENT_INVALID', name) : name));
  });
  const begun = async (count: number): Promise<void> => {
    while (gates.length < count) await new Promise(setImmediate);
  };
  /** Lets every group through, in turn. */
  const flow = async (outcomes: readonly Promise<unknown>[]): Promise<string[][]> => {
    let isOver = false;
    const all = Promise.allSettled(outcomes).then(() => {
      isOver = true;
    });
    for (let next = 0; !isOver; ) {
      if (next < gates.length) gates[next++]?.open();
      await new Promise(setImmediate);
    }
    await all;
    return done;
  };
  const add = (given: TestWrite, signal: AbortSignal = never): Promise<string> => {
    const outcome = groups.add(given, signal);
    outcome.catch(() => undefined);
    return outcome;
  };
  return { groups, work, gates, done, begun, flow, add };
}

test('writes that wait for another one go together in the next, each with its own outcome', async () => {
  const { add, begun, flow } = heldGroups();
  const first = add(write('first'));
  await begun(1);
  const others = ['b', 'bad c', 'd'].map((name) => add(write(name)));
  expect(await flow([first, ...others])).toEqual([['first'], ['b', 'bad c', 'd']]);
  expect(await others[0]).toBe('b');
  await expect(others[1]).rejects.toMatchObject({ reason: 'DOCUMENT_INVALID', message: 'bad c' });
  expect(await others[2]).toBe('d');
});

test('no group mixes kinds, and none writes a thing twice or overtakes what touches it', async () => {
  const { add, begun, flow } = heldGroups();
  const first = add(write('first'));
  await begun(1);
  const others = [
    write('x1', { touches: ['x'] }),
    write('y by b', { kind: 'b', touches: ['y'] }),
    write('x2', { touches: ['x', 'z'] }),
    write('y by a', { touches: ['y'] }),
    write('free'),
    write('z by a', { touches: ['z'] }),
  ].map((each) => add(each));
  expect(await flow([first, ...others])).toEqual([
    ['first'],
    ['x1', 'free'],
    ['y by b'],
    ['x2', 'y by a'],
    ['z by a'],
  ]);
});

test('what came before other work does not go with what comes after it', async () => {
  const { add, begun, flow, groups } = heldGroups();
  const first = add(write('first'));
  await begun(1);
  const before = add(write('before'));
  groups.separate();
  const after = add(write('after'));
  expect(await flow([first, before, after])).toEqual([['first'], ['before'], ['after']]);
});

test('a group has a size', async () => {
  const { add, begun, flow } = heldGroups();
  const first = add(write('first'));
  await begun(1);
  const size = 5 * 1024 * 1024;
  const large = ['b', 'c'].map((name) => add(write(name, { size })));
  const small = add(write('d'));
  expect(await flow([first, ...large, small])).toEqual([['first'], ['b', 'd'], ['c']]);
});

test('what one write of a group is refused for is no matter of the others', async () => {
  const { add, begun, flow } = heldGroups((names) =>
    names.includes('poison') ? new RAGError('DOCUMENT_TOO_LARGE', 'poison') : undefined,
  );
  const first = add(write('first'));
  await begun(1);
  const others = ['b', 'poison', 'c'].map((name) => add(write(name)));
  await flow([first, ...others]);
  expect(await Promise.allSettled(others)).toMatchObject([
    { value: 'b' },
    { reason: { reason: 'DOCUMENT_TOO_LARGE' } },
    { value: 'c' },
  ]);
});

test('what stops a group is told to all of it', async () => {
  const down = new RAGError('STORE_UNAVAILABLE', 'down');
  const { add, begun, flow } = heldGroups((names) => (names.includes('b') ? down : undefined));
  const first = add(write('first'));
  await begun(1);
  const others = ['b', 'c'].map((name) => add(write(name)));
  expect(await flow([first, ...others])).toEqual([['first'], ['b', 'c']]);
  for (const other of others) await expect(other).rejects.toBe(down);
});

test('who gives up leaves the others alone, and a group that nobody waits for is stopped', async () => {
  const { add, begun, gates, flow } = heldGroups();
  const first = add(write('first'));
  await begun(1);
  const [waiting, one, two] = [new AbortController(), new AbortController(), new AbortController()];
  const gone = add(write('gone'), waiting.signal);
  waiting.abort();
  await expect(gone).rejects.toMatchObject({ reason: 'ABORTED' });
  const pair = [add(write('one'), one.signal), add(write('two'), two.signal)];
  gates[0]?.open();
  await first;
  await begun(2);
  one.abort();
  await expect(pair[0]).rejects.toMatchObject({ reason: 'ABORTED' });
  expect(gates[1]?.signal.aborted).toBe(false);
  two.abort();
  await expect(pair[1]).rejects.toMatchObject({ reason: 'ABORTED' });
  expect(gates[1]?.signal.aborted).toBe(true);
  const last = add(write('last'));
  expect(await flow([last])).toEqual([['first'], ['last']]);
});

test('the end of the work waits for a group that is under way, even when its callers have given up', async () => {
  const { add, begun, gates, work } = heldGroups();
  const caller = new AbortController();
  const gone = add(write('gone'), caller.signal);
  await begun(1);
  caller.abort();
  await expect(gone).rejects.toMatchObject({ reason: 'ABORTED' });
  let isEnded = false;
  const ended = work.end().then(() => {
    isEnded = true;
  });
  await new Promise(setImmediate);
  expect(isEnded).toBe(false);
  gates[0]?.open();
  await ended;
  await expect(add(write('late'))).rejects.toMatchObject({ reason: 'USAGE' });
});
