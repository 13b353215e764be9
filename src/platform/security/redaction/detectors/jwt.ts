import { type Detection, matchAt } from '../detection.js';

/** JWS and JWE in compact form (RFC 7515, RFC 7516); the first part is a JSON object, so it begins with `{"`. */
const TOKEN = /eyJ[\w-]{8,4096}(\.[\w-]{0,16384}\.[\w-]{0,8192}(?:\.[\w-]{1,16384}\.[\w-]{1,512})?)?/y;

/** JSON Web Tokens whose header can be read and names an algorithm. */
export function* detectJwts(text: string): Generator<Detection> {
  for (let at = text.indexOf('eyJ'); at >= 0; ) {
    const match = isWordBefore(text, at) ? null : matchAt(TOKEN, text, at);
    const [token, rest] = match ?? [];
    if (token !== undefined && rest !== undefined && namesAlgorithm(token))
      yield { start: at, end: at + token.length, type: 'JWT' };
    // What no second part follows is read once, however many beginnings it seems to hold.
    at = text.indexOf('eyJ', at + (token?.length ?? 1));
  }
}

const isWordBefore = (text: string, at: number): boolean => /[A-Za-z0-9]/.test(text[at - 1] ?? '');

const namesAlgorithm = (token: string): boolean =>
  /"(?:alg|enc)"\s*:/.test(Buffer.from(token.slice(0, token.indexOf('.')), 'base64url').toString());
