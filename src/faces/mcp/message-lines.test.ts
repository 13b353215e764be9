import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { messageLines } from './message-lines.js';

/** What is passed on of what comes in these pieces, and what is answered. */
async function through(...pieces: readonly (string | Buffer)[]) {
  const output = new PassThrough();
  const lines = messageLines(output);
  for (const piece of pieces) lines.write(piece);
  lines.end();
  const passed = (await lines.toArray()).map(String).join('');
  output.end();
  const answers = (await output.toArray()).map(String).join('').split('\n').filter(Boolean);
  return { passed, answers: answers.map((answer) => JSON.parse(answer) as unknown) };
}

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const NOTE = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
const refused = (code: number, id: unknown = null) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message: expect.stringMatching(/^(?:Parse error|Invalid Request): /) },
});

describe('lines of a client', () => {
  test.each([
    '{',
    '{"jsonrpc":"2.0","id":1,"method":"ping"',
    'hello',
    "{'jsonrpc':'2.0'}",
    '{"jsonrpc":"2.0",}',
    '\u0000',
    '\ufeffx',
    `${PING}${PING}`,
    'NaN',
    'Content-Length: 20',
  ])('that are no JSON are answered as parse errors, and the next is read: %j', async (line) => {
    expect(await through(`${line}\n${PING}\n`)).toEqual({ passed: `${PING}\n`, answers: [refused(-32700)] });
  });

  test('that are no UTF-8 are, too', async () => {
    const { passed, answers } = await through(Buffer.from([0x7b, 0xff, 0xfe, 0x0a]), `${PING}\n`);
    expect([passed, answers]).toEqual([`${PING}\n`, [refused(-32700)]]);
  });

  test.each<[string, unknown]>([
    ['42', null],
    ['null', null],
    ['"ping"', null],
    ['{}', null],
    [`[${PING}]`, null],
    ['{"id":7,"method":"ping"}', 7],
    ['{"jsonrpc":"1.0","id":"a","method":"ping"}', 'a'],
    ['{"jsonrpc":"2.0","id":7,"method":3}', 7],
    ['{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}', 7],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', null],
  ])('that are JSON and no message are answered as invalid: %s', async (line, id) => {
    expect(await through(`${line}\n${NOTE}\n`)).toEqual({
      passed: `${NOTE}\n`,
      answers: [refused(-32600, id)],
    });
  });

  test('are the same however they come, with the line ends of any system and without the last', async () => {
    const sent = `${PING}\r\n\n  \n${NOTE}\n{\n${PING}`;
    const expected = { passed: `${PING}\n${NOTE}\n${PING}\n`, answers: [refused(-32700)] };
    expect(await through(sent)).toEqual(expected);
    expect(await through(...Array.from(sent))).toEqual(expected);
  });
});
