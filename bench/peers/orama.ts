import { create, insertMultiple, search } from '@orama/orama';
import { persistToFile, restoreFromFile } from '@orama/plugin-data-persistence/server';
import type { Contender } from './contender.js';

const SCHEMA = { title: 'string', text: 'string', vector: 'vector[384]' } as const;
const FORMAT = 'binary';

/** Orama with its defaults, kept as one binary file by its own plug-in. */
export const orama: Contender = {
  name: 'Orama',
  how: 'full text and vectors, its hybrid mode with default weights',
  isPersistent: true,
  build: async (documents, folder) => {
    const index = create({ schema: SCHEMA });
    await insertMultiple(
      index,
      documents.map(({ id, title, text, vector }) => ({ id, title, text, vector: [...vector] })),
    );
    await persistToFile(index, FORMAT, `${folder}/orama.msp`);
  },
  open: async (_documents, folder) => {
    const index = await restoreFromFile(FORMAT, `${folder}/orama.msp`);
    const ids = async (parameters: Parameters<typeof search>[1]): Promise<string[]> =>
      (await search(index, parameters)).hits.map(({ id }) => id);
    return {
      lexical: ({ text }, topK) =>
        ids({ mode: 'fulltext', term: text, properties: ['title', 'text'], limit: topK }),
      hybrid: ({ text, vector }, topK) =>
        ids({
          mode: 'hybrid',
          term: text,
          properties: ['title', 'text'],
          vector: { value: [...vector], property: 'vector' },
          similarity: 0,
          limit: topK,
        }),
      close: () => Promise.resolve(),
    };
  },
};
