/** A bug that the engine had, or could have: one text of a source file in place of another. */
export interface KnownBug {
  readonly name: string;
  readonly path: string;
  readonly text: string;
  readonly replacement: string;
  /** The simulator does not find it in the events of the gate, and is to be made to: tests/simulation/README.md says why. */
  readonly isMissed?: true;
}

export const KNOWN_BUGS: readonly KnownBug[] = [
  {
    name: 'the cursor moves before what was listed is written',
    path: 'src/indexing/index-source.ts',
    text: '  const preparer = pass.preparerFor(bytesOf(changes.toRead, USUAL_BYTES));',
    replacement: `  const preparer = pass.preparerFor(bytesOf(changes.toRead, USUAL_BYTES));
  if (changes.cursor !== undefined) await ledger.setSourceCursor(tenant, source.name, changes.cursor);`,
  },
  {
    name: 'chunks that were planned by a dead process are taken for stored',
    path: 'src/ledger/document-plan.ts',
    text: "if (known?.state !== 'live') return 'toWrite';",
    replacement: "if (known === undefined || known.state === 'stale') return 'toWrite';",
  },
  {
    name: 'documents are deleted from the store before that is planned',
    path: 'src/indexing/delete-documents.ts',
    text: `  await run.timedAsync('ledger', () => ledger.planDeletion(ids));
  await run.timedAsync('store', () => collection.delete(oneOf('$documentId', ids), signal));`,
    replacement: `  await run.timedAsync('store', () => collection.delete(oneOf('$documentId', ids), signal));
  await run.timedAsync('ledger', () => ledger.planDeletion(ids));`,
  },
  {
    name: 'an old listing may undo what a younger one wrote',
    path: 'src/indexing/index-source.ts',
    text: 'const mine = new Set([...taken].filter((id) => isSameState(known.get(id), present.get(id))));',
    replacement: 'const mine = new Set([...taken].filter((id) => known !== present && id !== undefined));',
    isMissed: true,
  },
  {
    name: 'an old listing deletes what a younger one found again',
    path: 'src/indexing/pending-work.ts',
    text: 'rows.flatMap(({ itemId, version }) => (version === undefined ? [itemId] : []))',
    replacement: 'rows.flatMap(() => []).concat(...itemIds)',
    isMissed: true,
  },
  {
    name: 'what a process wrote that had lost its lease is not mended',
    path: 'src/indexing/index-source.ts',
    text: '    await healDocuments(unsure, targets, run);',
    replacement: '    void [healDocuments, unsure];',
    isMissed: true,
  },
  {
    name: 'the ledger does not fence off who has lost a lease',
    path: 'tests/simulation/ledger-leases.ts',
    text: 'if (!isHeld) throw leaseLost();',
    replacement: 'void isHeld;',
  },
  {
    name: 'a search shows a document while it is replaced as it was and as it is',
    path: 'src/retrieval/read-chunks.ts',
    text: 'return first === revision;',
    replacement: 'return true;',
  },
  {
    name: 'a folder that cannot be listed for a moment counts as empty',
    path: 'src/sources/walk-files.ts',
    text: "if (id === '/') this.rootFailure =",
    replacement: "if (id === '') this.rootFailure =",
  },
];
