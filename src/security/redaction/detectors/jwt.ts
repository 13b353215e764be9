import type { Detection } from '../detection.js';

/** JWS and JWE in compact form (RFC 7515, RFC 7516); the first part is a JSON object, so it begins with `{"`. */
const CANDIDATE =
  /(?<![A-Za-z0-9])eyJ[\w-]{8,4096}\.[\w-]{0,16384}\.[\w-]{0,8192}(?:\.[\w-]{1,16384}\.[\w-]{1,512})?/g;

/** JSON Web Tokens whose header can be read and names an algorithm. */
export function* detectJwts(text: string): Generator<Detection> {
  for (const { index, 0: token } of text.matchAll(CANDIDATE)) {
    const header = Buffer.from(token.slice(0, token.indexOf('.')), 'base64url').toString();
    if (/"(?:alg|enc)"\s*:/.test(header)) yield { start: index, end: index + token.length, type: 'JWT' };
  }
}
