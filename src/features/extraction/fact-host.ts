import type { ResolvedConfig } from '../../config/resolved-config.js';
import type { ChatModel } from '../../core/chat-model.js';
import { RAGError } from '../../core/errors.js';
import type { Scope } from '../../core/scope.js';
import type { GenerationReader, Ledger } from '../../ledger/ledger.js';
import type { LockSubject } from '../../ledger/lock.js';
import type { FactReader, FactWriter } from '../../relations/graph/facts.js';
import { createChatModelFor } from '../../resources/assembly/open-chat-model.js';
import type { EngineResources } from '../../resources/engine-resources.js';
import { nothingIndexed } from '../../resources/open-collection.js';
import type { VectorCollection } from '../../stores/vector-store.js';

/** What extraction works with. */
export interface FactHost {
  readonly config: ResolvedConfig;
  readonly resources: EngineResources;
  readonly scope: Scope;
  /** Does work while this process may write the index; between two pieces of it others may. */
  readonly alone: <Outcome>(
    subject: LockSubject,
    work: (ledger: Ledger) => Promise<Outcome>,
  ) => Promise<Outcome>;
  readonly signal: AbortSignal;
}

/** The live generation, with its facts. */
export interface ReadFacts {
  readonly reader: GenerationReader;
  readonly facts: FactReader;
  /** Unscoped: extraction reads all documents, whatever their access. */
  readonly collection: VectorCollection;
}

/** @throws RAGError `INDEX_EMPTY`; `USAGE` where the ledger keeps no facts */
export async function openFacts({
  resources,
  config,
}: Pick<FactHost, 'resources' | 'config'>): Promise<ReadFacts> {
  if ((await resources.ledger.live()) === undefined) throw nothingIndexed(config);
  const { reader, collection } = await resources.stores.collection();
  if (reader.facts === undefined) throw keepsNoFacts();
  return { reader, facts: reader.facts, collection };
}

/** Writes facts of the generation that is live then, in a short turn. */
export const writeFacts = <Outcome>(
  { alone }: Pick<FactHost, 'alone'>,
  write: (facts: FactWriter) => Promise<Outcome>,
): Promise<Outcome> =>
  alone('items', async (ledger) => {
    const live = await ledger.live();
    const facts = live && ledger.writer(live.generation, 'extraction').facts;
    if (facts === undefined) throw keepsNoFacts();
    return write(facts);
  });

const keepsNoFacts = (): RAGError =>
  new RAGError('USAGE', 'The ledger of this index keeps no facts. Those in SQLite and PostgreSQL do.');

/** The model that reads chunks, and how it is let go of. */
export interface OpenedModel {
  readonly model: ChatModel;
  close(): Promise<void>;
}

/** @throws RAGError `CONFIG_INVALID` where none is configured; see also `createChatModelFor` */
export async function openFactModel({
  config,
  resources,
}: Pick<FactHost, 'config' | 'resources'>): Promise<OpenedModel> {
  const key = 'rag.graph.extraction.model';
  const stated = config.rag.graph.extraction.model;
  if (stated !== undefined) {
    const model = await createChatModelFor(config, { model: stated, key });
    if (model !== undefined) return { model, close: () => model.close() };
  }
  const model = await resources.models.chatModel.open();
  if (model !== undefined) return { model, close: async () => undefined };
  throw new RAGError(
    'CONFIG_INVALID',
    `Facts are read by a language model and none is configured. Set rag.chat.model or ${key}.`,
    { details: { key } },
  );
}
