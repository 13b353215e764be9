import type { Engine } from '../../src/index.js';

const STAFF = { tenant: 'default', groups: ['staff'], clearance: 9 };

/** All that an index holds, as those who may read everything and those who may read little see it. */
export async function contentsOf(engine: Engine) {
  const seenBy = async (view: ReturnType<Engine['as']>) => {
    const { documents } = await view.list({ limit: 1000 });
    const texts = await Promise.all(documents.map(async ({ id }) => (await view.get(id))?.text));
    const { results } = await view.search({
      text: 'lantern dusk dawn',
      options: {
        mode: 'lexical',
        topK: 200,
        collapse: 'none',
        nearDuplicates: 'keep',
        minSimilarity: 0,
        rerank: false,
      },
    });
    return {
      documents: documents.map(
        ({ indexedAt: _, metadata: { createdAt: __, ...metadata }, ...document }, i) => ({
          ...document,
          metadata,
          text: texts[i],
        }),
      ),
      passages: results
        .map(({ id, content, metadata: { createdAt: _, indexedAt: __, ...metadata } }) => ({
          id,
          content,
          metadata,
        }))
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
    };
  };
  const { states } = await engine.indexingStates({ limit: 1000 });
  return {
    staff: await seenBy(engine.as(STAFF)),
    others: await seenBy(engine.as({ tenant: 'default' })),
    chunks: states.map(({ id, vector_ids, status }) => ({ id, status, chunks: [...vector_ids].sort() })),
    failures: await engine.failures(),
    drift: (await engine.verify()).drift,
  };
}
