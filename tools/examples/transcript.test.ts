import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { replayTranscript } from './replay-transcript.js';
import { isAsWritten, transcriptOf } from './transcript.js';

const README = [
  '# X',
  '```console',
  '$ npm install',
  '…',
  '$ node server.mjs &',
  'ready at :7000',
  '$ echo "a  b"',
  'a  b',
  '',
  '$ true',
  '```',
  '',
].join('\n');

test('a transcript is commands and what they print', () => {
  expect(transcriptOf(README)).toEqual([
    { command: 'npm install', expected: ['…'], isBackground: false },
    { command: 'node server.mjs', expected: ['ready at :7000'], isBackground: true },
    { command: 'echo "a  b"', expected: ['a  b'], isBackground: false },
    { command: 'true', expected: [], isBackground: false },
  ]);
});

test('what is left out stands for any text, and nothing else does', () => {
  expect(isAsWritten(['a … c', '…', 'z'], 'a b c\nx\ny\nz\n')).toBe(true);
  expect(isAsWritten(['a … c', '…', 'z'], 'a b c\nz')).toBe(true);
  expect(isAsWritten(['a … c', 'z'], 'a b c\nx\nz')).toBe(false);
  expect(isAsWritten(['a.c'], 'abc')).toBe(false);
  expect(isAsWritten([], '')).toBe(true);
  expect(isAsWritten([], 'x')).toBe(false);
  expect(isAsWritten(['…'], '')).toBe(true);
});

test('a replay starts servers at a free port, and fails at the first difference', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ragstone-replay-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const place = {
    folder,
    ports: { written: 7000, free: 7001 },
    env: { PATH: process.env.PATH ?? '' },
  };
  const steps = [
    { command: 'echo "ready at :$PORT"; sleep 60', expected: ['ready at :7000'], isBackground: true },
    { command: 'echo "at :7000"', expected: ['at :7000'], isBackground: false },
  ];
  await replayTranscript(steps, place);
  const wrong = { command: 'echo two', expected: ['one'], isBackground: false };
  await expect(replayTranscript([...steps, wrong], place)).rejects.toThrow(/one\n\nIt printed:\ntwo/);
  const dead = { command: 'echo no; exit 1', expected: ['ready'], isBackground: true };
  await expect(replayTranscript([dead], place)).rejects.toThrow('no');
});
