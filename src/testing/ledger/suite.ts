import type { Ledger } from '../../ledger/ledger.js';
import { testChunkLog } from './chunk-log.js';
import { testConcurrency } from './concurrency.js';
import type { LedgerContext, LedgerContractOptions, LedgerPart } from './contract.js';
import { testCrashes } from './crashes.js';
import { testDocuments } from './documents.js';
import { testFacts } from './facts.js';
import { testForgotten } from './forgotten.js';
import { testGenerations } from './generations.js';
import { testGraph } from './graph.js';
import { testHistory } from './history.js';
import { testHostileTexts } from './hostile.js';
import { testItems } from './items.js';
import { testLeases } from './leases.js';
import { testPendingWork } from './pending-work.js';
import { AT, targetOf } from './records.js';
import { testRevisions } from './revisions.js';
import { testSources } from './sources.js';
import { testStatements } from './statements.js';
import { KEEP_REVISIONS, testTexts } from './texts.js';

const PARTS: Readonly<Record<string, LedgerPart>> = {
  generations: testGenerations,
  revisions: testRevisions,
  items: testItems,
  documents: testDocuments,
  'the write-ahead log': testChunkLog,
  'death at any point': testCrashes,
  texts: testTexts,
  'the graph': testGraph,
  'facts of a language model': testFacts,
  'what documents say': testStatements,
  history: testHistory,
  'sources and runs': testSources,
  'what was forgotten': testForgotten,
  leases: testLeases,
  'what is pending': testPendingWork,
  concurrency: testConcurrency,
  'hostile texts': testHostileTexts,
};

/** When the clock of a test begins. */
const START = Date.parse(AT);

/**
 * Registers the contract that every `Ledger` must keep. A backend's test file is a few lines:
 *
 * ```ts
 * import { describe, it } from 'vitest';
 * testLedger({ name: 'mine', runner: { describe, it }, create: async ({ now, keepRevisions }) => {
 *   const place = await makePlace();
 *   return {
 *     open: () => openMyLedger({ place, now, keepRevisions }),
 *     openForReading: () => openMyLedger({ place, now, keepRevisions, readOnly: true }),
 *   };
 * } });
 * ```
 *
 * Needs `fast-check` (a peer) for the random deaths. Failures are `AssertionError`s of `node:assert`.
 */
export function testLedger(options: LedgerContractOptions): void {
  const { describe, it } = options.runner;
  describe(`Ledger contract: ${options.name}`, () => {
    for (const [concern, registerPart] of Object.entries(PARTS))
      describe(concern, () => {
        registerPart((title, run) => {
          it(title, () => runWithLedger(options, run, concern === 'history'), options.timeoutMs ?? 60_000);
        });
      });
  });
}

async function runWithLedger(
  options: LedgerContractOptions,
  run: (context: LedgerContext) => Promise<void>,
  keepsHistory: boolean,
): Promise<void> {
  let time = START;
  const fixture = await options.create({ now: () => time, keepRevisions: KEEP_REVISIONS, keepsHistory });
  const ledgers: Ledger[] = [];
  const opened = async (open: () => Promise<Ledger>): Promise<Ledger> => {
    const ledger = await open();
    ledgers.push(ledger);
    return ledger;
  };
  try {
    const ledger = await opened(fixture.open);
    const facts = await ledger.begin(targetOf, AT);
    await run({
      options,
      ledger,
      facts,
      writer: ledger.writer(facts.generation, 'run'),
      reopen: () => opened(fixture.open),
      openForReading: () => opened(fixture.openForReading),
      pass: (ms) => {
        time += ms;
      },
    });
  } finally {
    for (const ledger of ledgers) await ledger.close();
    await fixture.cleanup?.();
  }
}
