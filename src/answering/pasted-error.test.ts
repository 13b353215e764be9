import { expect, test } from 'vitest';
import { answerQuestion } from './answer-question.js';
import { readPastedError } from './pasted-error.js';
import { fixedRetrieve, testDependencies } from './test-answering.js';

const FRAMES = {
  java: `Exception in thread "pool-7-thread-3" com.acme.store.LeaseExpiredException: lease 8812 of node n-3 expired
\tat com.acme.store.Writer.flush(Writer.java:211)
\tat com.acme.ingest.Pipeline.step(Pipeline.java:412)
\tat java.base/java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1136)`,
  'java with a cause': `2024-05-01 10:00:00,123 ERROR [main] o.s.b.SpringApplication - Application run failed
java.lang.RuntimeException: write failed
\tat com.acme.Main.main(Main.java:11)
\tat java.base/java.util.concurrent.FutureTask.run(FutureTask.java:264)
Caused by: com.acme.store.LeaseExpiredException
\tat com.acme.store.Writer.flush(Writer.java:211)
\t... 9 more`,
  python: `Traceback (most recent call last):
  File "/usr/lib/python3.11/site-packages/click/core.py", line 14, in __call__
    return __call__(*args, **kwargs)
  File "/usr/lib/python3.11/concurrent/futures/thread.py", line 35, in run
    return run(*args, **kwargs)
acme.errors.LeaseExpiredException: lease 8812`,
  node: `/srv/app/lib/store.js:88
    throw new LeaseExpiredException(id);
    ^

LeaseExpiredException: lease 8812 expired
    at Writer.flush (/srv/app/lib/store.js:88:11)
    at async Promise.all (index 0)

Node.js v20.11.0`,
  go: `panic: LeaseExpiredException: lease 8812

goroutine 34 [running]:
main.(*Writer).flush(0xc000010000)
\t/srv/app/store.go:88 +0x1d
created by net/http.(*Server).Serve
\t/usr/local/go/src/net/http/server.go:3086 +0x5cb`,
  'c#': `Unhandled exception. Acme.Store.LeaseExpiredException: lease 8812
 ---> System.IO.IOException: broken
   at Acme.Store.Writer.Flush() in C:\\src\\Writer.cs:line 88
   --- End of inner exception stack trace ---
   at Acme.Ingest.Pipeline.Step(String x, Int32 n) in C:\\src\\Pipeline.cs:line 12`,
  rust: `thread 'main' panicked at src/store.rs:88:9:
called \`Result::unwrap()\` on an \`Err\` value: LeaseExpiredException { offset: 4096 }
stack backtrace:
   0: rust_begin_unwind
             at /rustc/abc/library/std/src/panicking.rs:645:5
   1: core::panicking::panic_fmt`,
};

const LEASE = {
  content:
    'When a node pauses for longer than the lease, writers throw `LeaseExpiredException`. Restart the follower.',
  document: 'lease.md',
  score: 0.4,
};
const POOLS = {
  content:
    'The thread pool runs workers. ThreadPoolExecutor runWorker is where tasks are run, and FutureTask.',
  document: 'pools.md',
  score: 0.9,
};

const dependencies = (known: readonly string[]) => ({
  ...testDependencies(fixedRetrieve([POOLS, LEASE]), undefined, { abstainBelow: 0.2 }),
  isKnownWord: async (word: string) => known.includes(word),
});

test.each(Object.entries(FRAMES))('a trace is answered by what names its error: %s', async (_kind, trace) => {
  for (const question of [trace, `When I run the nightly job I get this, what should I do?\n\n${trace}`]) {
    const answer = await answerQuestion({ question }, dependencies([]));
    expect(answer.abstention).toBeUndefined();
    expect(answer.citations[0]?.source).toBe('lease.md');
  }
});

test('an error that nothing names is said to be missing, and nothing else of its trace', async () => {
  const question = FRAMES.java.replace('LeaseExpired', 'TornManifest');
  const answer = await answerQuestion({ question }, dependencies([]));
  expect(answer.abstention?.missing).toEqual(['TornManifestException']);
  expect(
    (await answerQuestion({ question }, dependencies(['TornManifestException']))).abstention?.missing,
  ).toBe(undefined);
});

test('a question before a trace is read with its errors', () => {
  expect(readPastedError(`What should I do?\n\n${FRAMES['java with a cause']}`)).toEqual({
    text: 'What should I do?\nRuntimeException: write failed\nLeaseExpiredException',
    errors: ['RuntimeException', 'LeaseExpiredException'],
  });
  expect(readPastedError('What does PoolExhaustedError mean?')).toBeUndefined();
});

const LOGGED = `2024-05-01 10:00:00,120 INFO  [main] Ingest - started
2024-05-01 10:00:04,871 ERROR [pool-2-thread-7] Ingest - step failed
${FRAMES.java}
2024-05-01 10:01:40,002 INFO  [main] Ingest - ended`;

test.each([
  [LOGGED, 'lease.md'],
  ['how do I fix LeaseExpiredException?', 'lease.md'],
  ['when was LeaseExpiredException logged?', 'ingest.log'],
])('the page that tells of an error goes before the log that shows it: %s', async (question, source) => {
  const found = fixedRetrieve([{ content: LOGGED, document: 'ingest.log', score: 0.9 }, POOLS, LEASE]);
  const { citations } = await answerQuestion({ question }, testDependencies(found));
  expect(citations[0]?.source).toBe(source);
});
