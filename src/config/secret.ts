import { inspect } from 'node:util';

/** What stands for a secret wherever one would be printed. */
export const MASK = '********';

/**
 * A secret value of the configuration. Printing, logging, inspecting or serialising it gives the mask; only `reveal()`, called
 * where a connection is opened, gives the value.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself. Never log it, never put it into an error. */
  reveal(): string {
    return this.#value;
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
const URL_CREDENTIALS = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi;

/** True for the names of settings that hold secrets: `apiKey`, `token`, `pat`, `password`. */
export const isSecretKey = (key: string): boolean => SECRET_KEY.test(key);

/** Hides user name and password inside URLs. */
export const maskUrlCredentials = (text: string): string => text.replaceAll(URL_CREDENTIALS, `$1${MASK}@`);
