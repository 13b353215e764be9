import type { Environment } from './expand-variables.js';

/** What a resolver may look at. */
export interface SecretContext {
  readonly environment: Environment;
  /** Folder that relative paths start from. Absolute. */
  readonly projectRoot: string;
}

/** Fetches secrets of one scheme: `keyvault` for what is written `keyvault:team-vault/database-url`. */
export interface SecretResolver {
  readonly scheme: string;
  /**
   * The secret under a name (what follows the colon).
   *
   * @throws RAGError `SECRET_MISSING` that says what to do. Neither its message nor its details may hold a secret.
   */
  resolve(name: string, context: SecretContext): Promise<string>;
}
