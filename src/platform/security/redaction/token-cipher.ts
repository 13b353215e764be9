import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  timingSafeEqual,
} from 'node:crypto';
import { RAGError } from '../../../core/errors.js';
import { REDACTION_TYPES, type RedactionType } from './detection.js';

const KEY_BYTES = 32;
const IV_BYTES = 16;
/** Shortest key that is taken, in characters. */
export const MIN_KEY_LENGTH = 32;

/**
 * Deterministic authenticated encryption of single values, the SIV construction (Rogaway and Shrimpton, 2006, as in
 * RFC 5297) with HMAC-SHA-256 as its pseudo-random function and AES-256 in counter mode. The same value under the same
 * key gives the same token, so that a person stays one person across documents; without the key a token says only
 * that, and how long the value is.
 */
export class TokenCipher {
  /** Tells keys apart without telling the key. */
  readonly fingerprint: string;
  readonly #macKey: Buffer;
  readonly #key: Buffer;

  /** @throws RAGError `CONFIG_INVALID` for a key of less than 32 characters */
  constructor(secret: string) {
    if (secret.length < MIN_KEY_LENGTH)
      throw new RAGError(
        'CONFIG_INVALID',
        `rag.security.redaction.key has ${secret.length} characters; it needs at least ${MIN_KEY_LENGTH}. Make one with "openssl rand -base64 32" and refer to it by a variable.`,
        { details: { key: 'rag.security.redaction.key' } },
      );
    this.#macKey = derive(secret, 'ragstone redaction mac');
    this.#key = derive(secret, 'ragstone redaction encryption');
    this.fingerprint = createHash('sha256').update(this.#macKey).digest('hex').slice(0, 16);
  }

  /** A value as base64url of its synthetic vector and its ciphertext. */
  seal(value: string, type: RedactionType): string {
    const iv = this.#vectorOf(value, type);
    const cipher = createCipheriv('aes-256-ctr', this.#key, iv);
    return Buffer.concat([iv, cipher.update(value, 'utf8'), cipher.final()]).toString('base64url');
  }

  /** The value of a token; undefined for one that was made with another key, or was changed. */
  open(token: string, type: RedactionType): string | undefined {
    const bytes = Buffer.from(token, 'base64url');
    if (bytes.length < IV_BYTES) return undefined;
    const iv = bytes.subarray(0, IV_BYTES);
    const decipher = createDecipheriv('aes-256-ctr', this.#key, iv);
    const value = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES)), decipher.final()]).toString(
      'utf8',
    );
    return timingSafeEqual(this.#vectorOf(value, type), iv) ? value : undefined;
  }

  #vectorOf(value: string, type: RedactionType): Buffer {
    return createHmac('sha256', this.#macKey).update(`${type}\0${value}`).digest().subarray(0, IV_BYTES);
  }
}

const derive = (secret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', purpose, KEY_BYTES));

const TOKEN = new RegExp(`\\[(${REDACTION_TYPES.join('|')}):([A-Za-z0-9_-]{22,200000})\\]`, 'g');

/**
 * Turns the tokens of a redacted text back into values, with the key.
 *
 * @returns the text, and how many tokens of it another key must have made; those stay as they are
 */
export function revealTokens(text: string, key: string): { readonly text: string; readonly unknown: number } {
  const cipher = new TokenCipher(key);
  let unknown = 0;
  const revealed = text.replaceAll(TOKEN, (whole, type: RedactionType, token: string) => {
    const value = cipher.open(token, type);
    if (value === undefined) unknown += 1;
    return value ?? whole;
  });
  return { text: revealed, unknown };
}
