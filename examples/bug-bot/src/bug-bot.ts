import { openModels } from 'ragstone';
import type { Chat } from './chat.js';
import { openDatabase } from './database.js';
import { createEmbeddings } from './embeddings.js';
import { migrate } from './schema.js';
import type { Settings } from './settings.js';

const CHAT_MODEL = 'anthropic:claude-haiku-4-5-20251001';
const MAX_TOKENS = 1024;
const MAX_RETRIES = 5;

/** Database and models, ready for use. */
export interface BugBot extends Chat {
  close(): Promise<void>;
}

/** Opens the database, makes what is missing in it, and names the models; they are loaded by the first use. */
export async function openBugBot(settings: Settings): Promise<BugBot> {
  const { databaseUrl, embeddingModel, anthropicKey, anthropicUrl, topK } = settings;
  const database = await openDatabase(databaseUrl);
  try {
    await migrate(database);
    const models = await openModels({
      config: {
        embedding: { model: embeddingModel },
        ...(anthropicKey === undefined
          ? {}
          : {
              chat: { model: CHAT_MODEL, maxOutputTokens: MAX_TOKENS, maxRetries: MAX_RETRIES },
              modelProviders: {
                anthropic: {
                  apiKey: anthropicKey,
                  ...(anthropicUrl === undefined ? {} : { baseUrl: anthropicUrl }),
                },
              },
            }),
      },
    });
    const close = async (): Promise<void> => {
      await models.close();
      await database.close();
    };
    return { database, models, embeddings: createEmbeddings(models, embeddingModel), topK, close };
  } catch (error) {
    await database.close();
    throw error;
  }
}
