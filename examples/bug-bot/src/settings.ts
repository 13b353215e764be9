/** What the environment says; every setting has a default. */
export interface Settings {
  /** `postgres://user:password@host:5432/database`. @default PGlite inside this process, which keeps nothing */
  readonly databaseUrl: string | undefined;
  /** `builtin`, or `transformers:` and a model of 384 dimensions or fewer. */
  readonly embeddingModel: string;
  /** Documents retrieved for a question. */
  readonly topK: number;
  /** Without a key answers are quoted, not written. */
  readonly anthropicKey: string | undefined;
  /** Address of the API, up to and with its version. @default Anthropic's */
  readonly anthropicUrl: string | undefined;
  /** Hadoop bugs as CSV (a path or an address) for PGlite. @default the sample */
  readonly bugs: string | undefined;
  /** Port on this machine. */
  readonly port: number;
}

/** Throws where a number is none. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  return {
    databaseUrl: textOf(env.DATABASE_URL),
    embeddingModel: textOf(env.RAG_EMBEDDING_MODEL) ?? 'builtin',
    topK: numberOf('RAG_TOP_K', env.RAG_TOP_K, { preset: 5, least: 1, most: 100 }),
    anthropicKey: textOf(env.ANTHROPIC_API_KEY),
    anthropicUrl: textOf(env.ANTHROPIC_BASE_URL),
    bugs: textOf(env.BUGS),
    port: numberOf('PORT', env.PORT, { preset: 7250, least: 0, most: 65_535 }),
  };
}

const textOf = (value: string | undefined): string | undefined => (value === '' ? undefined : value);

function numberOf(
  name: string,
  value: string | undefined,
  { preset, least, most }: { readonly preset: number; readonly least: number; readonly most: number },
): number {
  const stated = textOf(value);
  if (stated === undefined) return preset;
  const number = Number(stated);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  throw new Error(`${name} is ${JSON.stringify(stated)}; it is a whole number from ${least} to ${most}.`);
}
