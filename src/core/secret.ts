import { inspect } from 'node:util';
import { RAGError } from './errors.js';

/** What stands for a secret wherever one would be printed. */
export const MASK = '********';

const REFERENCE = /^([a-z][a-z0-9-]*):(?!\/\/)([\s\S]+)$/;
const BUILT_IN_REFERENCE = /^(?:env|file|keyvault):(?!\/\/)\S/;

/**
 * A secret value of the configuration. Printing, logging, inspecting or serialising it gives the mask; only `reveal()`, called
 * where a connection is opened, gives the value.
 */
export class Secret {
  readonly #text: string;
  #fetched: Promise<string | undefined> | undefined;
  #value: string | undefined;

  /** @param text the secret itself, or a reference: `env:NAME`, `file:PATH`, `keyvault:VAULT/NAME`. */
  constructor(text: string) {
    this.#text = text;
  }

  /** What names the secret, where the text is a reference of a known scheme. It is no secret itself. */
  get reference(): string | undefined {
    return BUILT_IN_REFERENCE.test(this.#text) ? this.#text : undefined;
  }

  /** Fetches what a reference names, once; `resolve` gives undefined for a scheme that is none. See `resolveSecrets`. */
  async fetch(resolve: (scheme: string, name: string) => Promise<string | undefined>): Promise<void> {
    const [, scheme, name] = REFERENCE.exec(this.#text) ?? [];
    if (scheme === undefined || name === undefined) return;
    this.#fetched ??= resolve(scheme, name);
    try {
      this.#value = await this.#fetched;
    } catch (error) {
      // What failed may succeed the next time: the variable is set, the vault is back.
      this.#fetched = undefined;
      throw error;
    }
  }

  /** The value itself. Never log it, never put it into an error. A reference must have been fetched. */
  reveal(): string {
    if (this.#value !== undefined) return this.#value;
    if (this.reference !== undefined)
      throw new RAGError('INTERNAL', `The secret ${this.reference} is used before it was fetched.`);
    return this.#text;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [inspect.custom](): string {
    return MASK;
  }
}

// The `\b`-less ends cover `apiKey`, `api_key`, `connectionString`, `clientSecret`.
const SECRET_KEY = /^(pat|.*(key|token|secret|password|passwd|passphrase|credentials?|connection_?string))$/i;

/** True for the names of settings that hold secrets: `apiKey`, `token`, `pat`, `password`. */
export const isSecretKey = (key: string): boolean => SECRET_KEY.test(key);
