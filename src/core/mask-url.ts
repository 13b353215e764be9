import { MASK } from './secret.js';

// The bound keeps the search linear: `a.a.a.` begins an address at each dot.
const URL_CREDENTIALS = /(\b[a-z][a-z0-9+.-]{0,31}:\/\/)[^\s/"]+@/gi;

/** Hides user name and password inside URLs. */
export const maskUrlCredentials = (text: string): string => text.replaceAll(URL_CREDENTIALS, `$1${MASK}@`);
