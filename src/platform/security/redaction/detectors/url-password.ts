import type { Detection } from '../detection.js';
import { isPlaceholder } from './placeholder.js';

/** Scheme, user and password (RFC 3986, section 3.2.1); the last `@` before the path ends the password. */
const USER_INFO = /:\/\/([^\s/:@"'<>`,]{0,128}):([^\s/"'<>`]{1,256})@(?=[^\s"'<>`])/g;

/** Passwords in addresses: `postgres://app:password@host`. */
export function* detectUrlPasswords(text: string): Generator<Detection> {
  for (const match of text.matchAll(USER_INFO)) {
    const [whole, user = '', password = ''] = match;
    if (isPlaceholder(password) || password === user.toUpperCase()) continue;
    const end = match.index + whole.length - 1;
    yield { start: end - password.length, end, type: 'API_KEY' };
  }
}
