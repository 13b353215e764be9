import { writeSync } from 'node:fs';
import { systemErrorCode } from '../../core/errors.js';
import { scopeOf } from '../../core/scope.js';
import { FeedbackLog } from './feedback-log.js';

/** Appends until it is killed, and tells each question once it is written. */
const [, , dataDir = '', name = ''] = process.argv;
const log = new FeedbackLog(dataDir, { maxBytes: 100_000_000 });
for (let number = 0; ; number++) {
  const question = `${name} ${number} ${'x'.repeat(number % 500)}`;
  log.add(scopeOf({ tenant: 'acme' }), {
    ...{ kind: 'search', question, clicked: [1] },
    places: [{ rank: 1, documentId: 'a', chunkIds: ['c'], source: 'a.md', lines: { start: 1, end: 1 } }],
  });
  tell(`${question}\n`);
}

/** The pipe is full where its reader is slow. */
function tell(line: string): void {
  for (;;)
    try {
      return void writeSync(1, line);
    } catch (error) {
      if (systemErrorCode(error) !== 'EAGAIN') throw error;
    }
}
