import { createHmac, randomBytes } from 'node:crypto';

/** A key for the hashes of one receipt, in hexadecimal. */
export const newKey = (): string => randomBytes(32).toString('hex');

/** What an id or key of something that was forgotten is known by in a receipt. */
export type TraceOf = (kind: 'document' | 'chunk' | 'vector' | 'context', name: string) => string;

/** The hashes of one receipt: 32 hexadecimal digits. */
export const tracesBy = (key: string): TraceOf => {
  const bytes = Buffer.from(key, 'hex');
  return (kind, name) => createHmac('sha256', bytes).update(`${kind} ${name}`).digest('hex').slice(0, 32);
};
