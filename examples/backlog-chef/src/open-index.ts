import { createEngine, type Engine, type IndexResult, RAGError, RAGErrorCode } from 'ragstone';
import { type LocalServers, readSettings } from './settings.js';

/** An index in step with its sources. */
export interface OpenedIndex {
  readonly engine: Engine;
  /** What the run over the sources did. */
  readonly indexed: IndexResult;
  /** What a person should know of the store. */
  readonly notice?: string;
}

/** Where the index is. */
export interface IndexPlace extends LocalServers {
  /** The folder that the paths of the configuration start from. */
  readonly folder: string;
}

/**
 * Opens the index and brings it in step. The document's store is a Chroma server that is started on its folder; where nobody chose a store and
 * that server cannot be started, the store that needs no server takes its place.
 *
 * @throws RAGError where the configuration is wrong, a variable is missing, or the store that was chosen does not answer
 */
export async function openIndex({ folder, ...servers }: IndexPlace): Promise<OpenedIndex> {
  const config = readSettings(servers);
  try {
    return await indexedBy(await createEngine({ config, cwd: folder }));
  } catch (error) {
    const isChosen = (process.env.RAG_PROVIDER ?? '') !== '';
    if (isChosen || !RAGError.isInstance(error) || !isOfStore(error)) throw error;
    const embedded = await createEngine({ config, cwd: folder, overrides: { provider: 'libsql' } });
    // What is wrong, and what to do; a log may follow.
    const why = /^(?:.*?\.(?=\s|$)){1,2}/s.exec(error.message)?.[0];
    const notice = `Chroma cannot be started, so the embedded store is used, as with RAG_PROVIDER=libsql. ${why}`;
    return { ...(await indexedBy(embedded)), notice };
  }
}

async function indexedBy(engine: Engine): Promise<OpenedIndex> {
  try {
    return { engine, indexed: await engine.index() };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

const isOfStore = ({ code, reason }: RAGError): boolean =>
  code === RAGErrorCode.VECTOR_STORE_UNAVAILABLE || reason === 'PACKAGE_MISSING';
