import assert from 'node:assert/strict';
import fc from 'fast-check';
import { OPEN_ACCESS } from '../../core/scope.js';
import type { HistoryVersion, LedgerHistory, PlannedHistory } from '../../ledger/history.js';
import type { GenerationWriter, Ledger, PlannedDocument } from '../../ledger/ledger.js';
import type { LedgerContext, LedgerPart } from './contract.js';
import { AT, planned, TENANT, targetOf } from './records.js';

const START = Date.parse(AT);
const DOCUMENTS = ['a', 'b', 'c'] as const;

const kept = (text: string, access = OPEN_ACCESS): PlannedHistory => ({
  access,
  parts: [{ chunks: 1, bytes: Buffer.from(text) }],
});

/** A document whose one chunk says `text`. */
const saying = (id: string, text: string, changes: Partial<PlannedDocument> = {}): PlannedDocument =>
  planned(id, {
    revision: text,
    chunks: [{ chunkId: `${id}-${text}`, digest: text }],
    history: kept(text),
    ...changes,
  });

/** What a moment shows: the texts of documents by id; `undefined` where the ledger says nothing of it. */
async function shown(
  history: LedgerHistory,
  moment: number,
  tenant = TENANT,
): Promise<Record<string, string> | undefined> {
  const generation = await history.generationAt(moment);
  if (generation === undefined) return undefined;
  const versions: HistoryVersion[] = [];
  for (let after = 0; ; ) {
    const page = await history.versionsAt({ tenant, generation, moment }, after, 2);
    versions.push(...page);
    after = page.at(-1)?.id ?? after;
    if (page.length < 2) break;
  }
  const parts = await history.parts(versions.map(({ id }) => id));
  const entries = versions.map(({ id, documentId, revision }) => {
    const text = Buffer.concat(parts.get(id) ?? []).toString();
    assert.equal(text, revision, 'a version has its own text');
    return [documentId, text] as const;
  });
  assert.equal(new Set(entries.map(([id]) => id)).size, entries.length, 'a document is shown once');
  return Object.fromEntries(entries);
}

interface Begun {
  readonly history: LedgerHistory;
  readonly clock: () => string;
  readonly now: () => number;
}

/** A ledger whose one generation is live and empty, and what its clock says. */
async function begun({ ledger, facts, pass }: LedgerContext): Promise<Begun | undefined> {
  const { history } = ledger;
  if (history === undefined) return undefined;
  let time = START;
  const clock = (): string => {
    pass(1_000);
    time += 1_000;
    return new Date(time).toISOString();
  };
  await ledger.makeFirst(facts.generation, clock());
  return { history, clock, now: () => time };
}

async function index(writer: GenerationWriter, at: string, ...documents: PlannedDocument[]): Promise<void> {
  await writer.plan(documents);
  await writer.commit(
    documents.map(({ documentId }) => documentId),
    at,
  );
}

async function remove(writer: GenerationWriter, ...documentIds: string[]): Promise<void> {
  await writer.planDeletion(documentIds);
  await writer.forget(documentIds);
}

/** What the index held at a time, where the ledger keeps that. */
export const testHistory: LedgerPart = (testAny) => {
  const test = (name: string, check: (context: LedgerContext & Begun) => Promise<void>): void =>
    testAny(name, async (context) => {
      const started = await begun(context);
      if (started !== undefined) await check({ ...context, ...started });
    });

  test('every moment shows what had been committed by then, and nothing else', async (context) => {
    const { history, clock, now, writer } = context;
    const first = Date.parse(clock());
    await index(writer, new Date(first).toISOString(), saying('a', '1'), saying('b', '1'));
    const second = Date.parse(clock());
    await writer.plan([saying('a', '2')]);
    assert.deepEqual(await shown(history, now()), { a: '1', b: '1' }, 'what is planned is not shown');
    await writer.commit(['a'], new Date(second).toISOString());
    clock();
    await remove(writer, 'b');
    const third = now();
    assert.equal(await shown(history, START), undefined, 'before it began');
    assert.deepEqual(await shown(history, first - 1), {});
    assert.deepEqual(await shown(history, first), { a: '1', b: '1' });
    assert.deepEqual(await shown(history, second - 1), { a: '1', b: '1' });
    assert.deepEqual(await shown(history, second), { a: '2', b: '1' });
    assert.deepEqual(await shown(history, third), { a: '2' });
    assert.deepEqual(await shown(history, first, 'other'), {}, 'another tenant has nothing');
  });

  test('a version has the facts and the access that were planned', async (context) => {
    const { history, clock, now } = context;
    const facts = { title: 'half \ud800', project: 'p', metadata: { tags: ['x', '\0'] } };
    const access = { groups: ['hr'], level: 2 };
    await index(context.writer, clock(), saying('a', '1', { ...facts, history: kept('1', access) }));
    const [version] = await history.versions(TENANT, 0, 10);
    assert.ok(version);
    const { title, project, metadata } = version;
    assert.deepEqual({ title, project, metadata }, facts);
    assert.deepEqual(version.access, access);
    assert.deepEqual([version.from, version.to, version.chunks], [now(), undefined, 1]);
    assert.deepEqual(await history.versions('other', 0, 10), []);
    assert.equal((await history.versions(undefined, 0, 10)).length, 1);
  });

  test('what is the same stays one version, and what says the same again shares its text', async (context) => {
    const { history, clock } = context;
    for (const text of ['1', '1', '2', '1']) await index(context.writer, clock(), saying('a', text));
    const versions = await history.versions(TENANT, 0, 10);
    assert.deepEqual(
      versions.map(({ revision }) => revision),
      ['1', '2', '1'],
    );
    const { bytes, past } = await history.summary();
    assert.deepEqual({ bytes, past }, { bytes: 2, past: 2 });
    await history.eraseVersions(versions.map(({ id }) => id));
    assert.equal((await history.summary()).bytes, 1, 'what a version still has is kept');
  });

  test('a document whose parts are not all there is not shown, and the record ends', async (context) => {
    const { history, clock, now, writer } = context;
    const chunks = ['1', '2'].map((name) => ({ chunkId: name, digest: name }));
    const long = saying('a', 'long', { chunks, history: { access: OPEN_ACCESS, parts: [] } });
    await writer.plan([long]);
    await writer.history?.addPart('a', 0, { chunks: 1, bytes: Buffer.from('lo') });
    await writer.history?.addPart('a', 1, { chunks: 1, bytes: Buffer.from('ng') });
    await writer.commit(['a'], clock());
    assert.deepEqual(await shown(history, now()), { a: 'long' });
    await writer.plan([{ ...long, revision: 'longer' }]);
    await writer.history?.addPart('a', 0, { chunks: 1, bytes: Buffer.from('lo') });
    await writer.commit(['a'], clock());
    assert.equal(await shown(history, now()), undefined);
    assert.equal(await history.begins(), undefined);
  });

  test('it begins again where everything is written down, and not before', async (context) => {
    const { history, clock, now, writer } = context;
    await index(writer, clock(), saying('a', '1'), saying('b', '1'));
    const before = now();
    // Written without what history needs.
    await index(writer, clock(), planned('c'));
    assert.equal(await history.begin(Date.parse(clock())), false);
    assert.deepEqual(await writer.history?.unrecorded(undefined, 10), ['c']);
    const { indexedAt = '' } = (await writer.document('c')) ?? {};
    const record = (at: string, history: PlannedHistory) =>
      writer.history?.record({ documentId: 'c', indexedAt: at }, history, now());
    assert.equal(await record('2020-01-01T00:00:00.000Z', kept('r1')), false, 'of another revision');
    assert.equal(await record(indexedAt, { access: OPEN_ACCESS, parts: [] }), false, 'without its chunks');
    assert.equal(await record(indexedAt, kept('r1')), true);
    assert.deepEqual(await writer.history?.unrecorded(undefined, 10), []);
    const again = Date.parse(clock());
    assert.equal(await history.begin(again), true);
    assert.equal(await history.begins(), again);
    assert.equal(await shown(history, before), undefined, 'what was before the break is not answered');
    assert.deepEqual(await shown(history, again), { a: '1', b: '1', c: 'r1' });
  });

  test('a commit after a death keeps what is the same, and ends the record where nobody knows', async (context) => {
    const { history, clock, now, writer } = context;
    await index(writer, clock(), saying('a', '1'));
    await writer.commit(['a'], clock());
    assert.deepEqual(await shown(history, now()), { a: '1' }, 'the same is committed again');
    await writer.plan([saying('a', '2')]);
    const next = (await context.reopen()).writer(context.facts.generation, 'run');
    await next.commit(['a'], clock());
    assert.deepEqual(await shown(history, now()), { a: '2' });
  });

  test('the generation that was live at a moment is the one that is shown', async (context) => {
    const { history, clock, now, ledger, writer, facts } = context;
    await index(writer, clock(), saying('a', 'old'));
    const next = await ledger.begin(targetOf, clock());
    const other = ledger.writer(next.generation, 'run');
    await index(other, clock(), saying('a', 'new'));
    const before = now();
    await ledger.switchTo(next.generation, clock(), facts.generation);
    const after = now();
    await ledger.drop(facts.generation);
    assert.deepEqual(await shown(history, before), { a: 'old' });
    assert.deepEqual(await shown(history, after), { a: 'new' });
    const third = await ledger.begin(targetOf, clock());
    await index(ledger.writer(third.generation, 'run'), clock(), saying('a', 'never'));
    await ledger.drop(third.generation);
    assert.deepEqual(
      (await history.versions(TENANT, 0, 10)).map(({ revision }) => revision),
      ['old', 'new'],
      'what was never searched is not kept',
    );
  });

  test('a switch to what is not written down ends the record', async (context) => {
    const { history, clock, now, ledger, facts } = context;
    const next = await ledger.begin(targetOf, clock());
    const other = ledger.writer(next.generation, 'run');
    await index(other, clock(), planned('a'));
    await ledger.switchTo(next.generation, clock(), facts.generation);
    assert.equal(await shown(history, now()), undefined);
  });

  test('what is erased is gone from every moment and every generation', async (context) => {
    const { history, clock, now, writer } = context;
    await index(writer, clock(), saying('a', '1'), saying('b', '1'));
    await index(writer, clock(), saying('a', '2'));
    await remove(writer, 'a');
    const ofA = (await history.ofDocument('a', 9)).map(({ revision, to }) => [revision, to !== undefined]);
    assert.equal(ofA.length, 2, 'replaced and deleted ones');
    assert.deepEqual(ofA[0], [(await history.newest(['a'])).get('a')?.revision, true]);
    assert.equal((await history.ofDocument('a', 1)).length, 1);
    assert.equal(await history.erase(['a', 'nobody']), 2);
    assert.deepEqual(await history.ofDocument('a', 9), []);
    assert.deepEqual(await shown(history, now() - 1), { b: '1' });
    assert.deepEqual([...(await history.newest(['a', 'b'])).keys()], ['b']);
    const { bytes, versions } = await history.summary();
    assert.deepEqual({ bytes, versions }, { bytes: 1, versions: 1 });
  });

  test('pruning moves the beginning, in pieces, and leaves what still holds', async (context) => {
    const { history, clock, now, writer } = context;
    for (const text of ['1', '2', '3', '4']) await index(writer, clock(), saying('a', text));
    await index(writer, clock(), saying('b', '1'));
    await history.mark(TENANT, { source: 'git', mark: 'old', at: START + 1 });
    const horizon = now() - 500;
    assert.equal(await history.prune(horizon, 2), 2);
    assert.equal(await shown(history, horizon - 1), undefined, 'at once, however much is left to delete');
    assert.equal(await history.prune(horizon, 2), 1);
    assert.equal(await history.prune(horizon, 2), 0);
    assert.equal(await history.prune(horizon - 5_000, 2), 0);
    assert.equal(await history.begins(), horizon, 'it never begins earlier again');
    assert.deepEqual(await shown(history, horizon), { a: '4' });
    assert.deepEqual(await shown(history, now()), { a: '4', b: '1' });
    assert.deepEqual(await history.marks(TENANT), []);
  });

  test('marks say what was held, and since when and how long', async (context) => {
    const { history } = context;
    for (const [mark, at] of [
      ['c1', 1],
      ['c1', 2],
      ['c2', 3],
      ['c1', 4],
    ] as const)
      await history.mark(TENANT, { source: 'git', mark, at });
    await history.mark('other', { source: 'git', mark: 'c9', at: 1 });
    assert.deepEqual(await history.marks(TENANT), [
      { source: 'git', mark: 'c1', at: 1, seen: 2 },
      { source: 'git', mark: 'c2', at: 3, seen: 3 },
      { source: 'git', mark: 'c1', at: 4, seen: 4 },
    ]);
  });

  test('a clear leaves nothing', async (context) => {
    const { history, clock } = context;
    await index(context.writer, clock(), saying('a', '1'));
    await history.mark(TENANT, { source: 'git', mark: 'c', at: 1 });
    assert.equal(await history.isEmpty(), false);
    assert.equal(await history.clear(), 1);
    assert.deepEqual(await history.summary(), { versions: 0, past: 0, bytes: 0 });
    assert.deepEqual(await history.marks(TENANT), []);
    assert.equal(await history.isEmpty(), true);
    await index(context.writer, clock(), saying('a', '2'));
    await context.ledger.clear();
    assert.equal(await history.isEmpty(), true);
  });

  testAny(
    'random histories of runs, deaths, switches and erasures show what was at each moment',
    async (context) => {
      if (context.ledger.history === undefined) return;
      let time = START;
      const clock = (): number => {
        context.pass(7);
        time += 7;
        return time;
      };
      const property = fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 25 }), (script) =>
        replay(script, context.ledger, clock),
      );
      await fc.assert(property, { numRuns: context.options.randomHistories ?? 30 });
    },
  );
};

const document = fc.constantFrom(...DOCUMENTS);
const step = (weight: number, name: string, ...texts: readonly string[]) => ({
  weight,
  arbitrary: fc.record({ do: fc.constant(name), document, text: fc.constantFrom(...texts) }),
});
const steps = fc.oneof(
  step(6, 'index', '1', '2', '3'),
  step(2, 'plan', '1', '2', '3'),
  step(2, 'remove', ''),
  step(1, 'planRemoval', ''),
  step(1, 'rebuild', '1', '2'),
  step(1, 'erase', ''),
);

interface Replay {
  readonly ledger: Ledger;
  readonly history: LedgerHistory;
  writer: GenerationWriter;
  present: Map<string, string>;
  /** What each moment shows, by its beginning. */
  readonly moments: { readonly at: number; readonly shown: Map<string, string> }[];
}

/** One script over a ledger that was cleared; every moment is asked for at the end. */
async function replay(
  script: readonly { readonly do: string; readonly document: string; readonly text: string }[],
  ledger: Ledger,
  clock: () => number,
): Promise<void> {
  const { history } = ledger;
  if (history === undefined) return;
  await ledger.clear();
  let time = clock();
  const tick = (): string => {
    time = clock();
    return new Date(time).toISOString();
  };
  const first = await ledger.begin(targetOf, tick());
  await ledger.makeFirst(first.generation, tick());
  const offset = time;
  const state: Replay = {
    ...{ ledger, history, writer: ledger.writer(first.generation, 'run') },
    present: new Map(),
    moments: [{ at: offset, shown: new Map() }],
  };
  for (const step of script) {
    const at = tick();
    await STEPS[step.do]?.(step, state, at);
    state.moments.push({ at: time, shown: new Map(state.present) });
  }
  for (const { at, shown: expected } of state.moments) {
    assert.deepEqual(await shown(history, at), Object.fromEntries([...expected].sort()), `at ${at - offset}`);
    assert.deepEqual(await shown(history, at + 6), Object.fromEntries([...expected].sort()));
  }
}

const STEPS: Readonly<
  Record<
    string,
    (step: { readonly document: string; readonly text: string }, state: Replay, at: string) => Promise<void>
  >
> = {
  index: async ({ document: id, text }, { writer, present }, at) => {
    await index(writer, at, saying(id, text));
    present.set(id, text);
  },
  // A process died after it.
  plan: async ({ document: id, text }, { writer }) => {
    await writer.plan([saying(id, text)]);
  },
  planRemoval: async ({ document: id }, { writer }) => {
    await writer.planDeletion([id]);
  },
  remove: async ({ document: id }, { writer, present }) => {
    await remove(writer, id);
    present.delete(id);
  },
  rebuild: async ({ text }, state, at) => {
    const { ledger, present } = state;
    const next = await ledger.begin(targetOf, at);
    const other = ledger.writer(next.generation, 'run');
    const live = (await ledger.live())?.generation ?? 0;
    const rebuilt = new Map([...present.keys()].slice(1).map((id) => [id, text]));
    for (const id of rebuilt.keys()) await index(other, at, saying(id, text));
    await ledger.switchTo(next.generation, at, live);
    await ledger.drop(live);
    state.writer = other;
    state.present = rebuilt;
  },
  erase: async ({ document: id }, { history, writer, present, moments }) => {
    await remove(writer, id);
    await history.erase([id]);
    present.delete(id);
    for (const { shown: texts } of moments) texts.delete(id);
  },
};
