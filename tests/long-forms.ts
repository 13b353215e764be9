/** `RAGSTONE_SLOW=1`: every case and many more repetitions; the gate has a short form of each. */
export const IS_LONG = process.env.RAGSTONE_SLOW === '1';

/** Embedded stores that a test of files and processes looks at; in the short form the one that an installed package takes. */
export const EMBEDDED_STORES = IS_LONG ? (['libsql', 'lancedb'] as const) : (['libsql'] as const);
