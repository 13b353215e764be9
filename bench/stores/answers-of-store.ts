// What one store answers through the engine: `answers-of-store.ts NAME PLACE INPUT`. Prints a `StoreAnswers`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize } from 'node:v8';
import { createEngine, type Engine } from '../../src/index.js';
import type { SearchMode } from '../../src/operations/engine.js';
import { corpusFolder } from '../shared/places.js';
import { withTemporaryFolder } from '../shared/temporary-folder.js';
import { benchedStore } from './benched-stores.js';
import { ownRankings } from './own-text-rankings.js';
import type { AnswersInput, CorpusName, Rankings, StoreAnswers } from './store-answers.js';

const TOP_K = 10;

const [name = '', place = '', inputFile = ''] = process.argv.slice(2);
const benched = benchedStore(name);
const input = deserialize(readFileSync(inputFile)) as AnswersInput;
function answersOf(corpus: CorpusName, index: (engine: Engine) => Promise<unknown>) {
  return withTemporaryFolder(async (folder) => {
    const engine = await createEngine({
      config: {
        rag: {
          provider: benched.name,
          // Nothing of it is cut, so that a result is a document.
          ...(corpus === 'scifact' ? { chunking: { strategy: 'whole' } } : {}),
          ...(benched.place === 'server' ? { storage: { server: { url: place, namespace: corpus } } } : {}),
        },
      },
      cwd: folder,
      dataDir: join(folder, 'data'),
    });
    try {
      await index(engine);
      return {
        dense: await rankingsOf(engine, corpus, 'dense'),
        lexical: await rankingsOf(engine, corpus, 'lexical'),
        hybrid: await rankingsOf(engine, corpus, 'hybrid'),
      };
    } finally {
      await engine.close();
    }
  });
}

async function rankingsOf(engine: Engine, corpus: CorpusName, mode: SearchMode): Promise<Rankings> {
  const rankings: Record<string, readonly string[]> = {};
  for (const { id, text } of input.queries[corpus]) {
    const { results } = await engine.search({
      text,
      // Nothing that was found is left out or moved: a reranker would hide what the stores differ in.
      options: {
        topK: TOP_K,
        mode,
        minSimilarity: 0,
        nearDuplicates: 'keep',
        mmrLambda: 1,
        recencyHalfLifeDays: 0,
        rerank: false,
      },
    });
    rankings[id] = results.map((result) => (corpus === 'scifact' ? result.metadata.source : result.id));
  }
  return rankings;
}

const ownText = await ownRankings(benched.name, place, {
  documents: input.documents,
  queries: input.queries.scifact,
});
const answers: StoreAnswers = {
  scifact: await answersOf('scifact', (engine) =>
    engine.index({ documents: input.documents.map(({ id, title, text }) => ({ id, title, text })) }),
  ),
  keps: await answersOf('keps', (engine) => engine.index({ paths: [corpusFolder('kubernetes-keps')] })),
  ...(ownText === undefined ? {} : { ownText }),
};
console.log(JSON.stringify(answers));
