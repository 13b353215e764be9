import { fileURLToPath } from 'node:url';
import { type CreateEngineOptions, createEngine, type Engine } from 'ragstone';

const here = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Files of this example. All that it writes is in `.ragstone`: delete that folder to begin anew. */
export const PLACES = {
  /** The three stages, with every setting of theirs. */
  config: here('ragstone.yaml'),
  data: here('.ragstone'),
  documents: here('data/documents'),
  questions: here('data/questions.jsonl'),
} as const;

/** Where an index is kept, and what differs from `ragstone.yaml`. */
export interface EnginePlace
  extends Pick<CreateEngineOptions, 'overrides' | 'chatModel' | 'externalSearch' | 'runtime'> {
  /** @default `.ragstone` in the folder of this example */
  readonly dataDir?: string;
}

/** Opens the index with the settings of `ragstone.yaml`, in the store that the variables name. */
export function openEngine({
  dataDir = PLACES.data,
  overrides,
  ...parts
}: EnginePlace = {}): Promise<Engine> {
  return createEngine({
    configFile: PLACES.config,
    // The file is this program's own: it needs nobody's trust.
    trust: true,
    dataDir,
    overrides: { ...storeOf(process.env), ...overrides },
    ...parts,
  });
}

/** PostgreSQL where `DATABASE_URL` names one, Chroma where `CHROMA_URL` does; else what the configuration says. */
function storeOf({
  DATABASE_URL = '',
  CHROMA_URL = '',
}: NodeJS.ProcessEnv): CreateEngineOptions['overrides'] {
  if (DATABASE_URL !== '') return { provider: 'postgres', storage: { server: { url: DATABASE_URL } } };
  if (CHROMA_URL !== '') return { provider: 'chroma', storage: { server: { url: CHROMA_URL } } };
  return {};
}
