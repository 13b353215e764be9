import { describe, expect, it } from 'vitest';
import { readStackTrace } from './stack-trace.js';

const many = (frame: (at: number) => string): string =>
  Array.from({ length: 8 }, (_, i) => frame(i)).join('\n');

/** A trace of each kind, and what of it is no frame. */
const TRACES: Readonly<Record<string, readonly [trace: string, message: string]>> = {
  node: [
    `PoolExhaustedError: gave up\n${many((i) => `    at async Runner.step${i} (/srv/app/dist/runner.js:10${i}:3)`)}\n    at node:internal/main/run_main_module:23:47`,
    'PoolExhaustedError: gave up',
  ],
  firefox: [
    `PoolExhaustedError: gave up\n${many((i) => `step${i}@https://a.example/app.js:${i}:9`)}`,
    'PoolExhaustedError: gave up',
  ],
  java: [
    `java.lang.RuntimeException: job failed\n${many((i) => `\tat org.example.Step${i}.run(Step${i}.java:${i})`)}\nCaused by: com.acme.PoolExhaustedError: gave up\n\t... 12 more`,
    'java.lang.RuntimeException: job failed\nCaused by: com.acme.PoolExhaustedError: gave up',
  ],
  csharp: [
    `Unhandled exception. Acme.PoolExhaustedError: gave up\n${many((i) => `   at Acme.Runner.Step${i}(String name) in /src/Runner.cs:line ${i}`)}\n   --- End of inner exception stack trace ---`,
    'Unhandled exception. Acme.PoolExhaustedError: gave up\n   --- End of inner exception stack trace ---',
  ],
  python: [
    `Traceback (most recent call last):\n${many((i) => `  File "/app/core_${i}.py", line ${i}, in step_${i}\n    return self.inner_${i}(request)\n           ~~~~~~~~^^^^^`)}\nPoolExhaustedError: gave up`,
    'Traceback (most recent call last):\nPoolExhaustedError: gave up',
  ],
  'python exception group': [
    `  + Exception Group Traceback (most recent call last):\n${many((i) => `  |   File "/app/core_${i}.py", line ${i}, in step\n  |     inner()`)}\n  | PoolExhaustedError: gave up`,
    '+ Exception Group Traceback (most recent call last):\n  | PoolExhaustedError: gave up',
  ],
  go: [
    `panic: PoolExhaustedError: gave up\n\ngoroutine 1 [running]:\n${many((i) => `main.step${i}(0xc000012345, 0x1)\n\t/src/app/main.go:1${i} +0x1d`)}\ncreated by main.start in goroutine 7`,
    'panic: PoolExhaustedError: gave up',
  ],
  rust: [
    `thread 'main' panicked: PoolExhaustedError\n${many((i) => `   ${i}: app::runner::step${i}\n             at ./src/runner.rs:${i}:9`)}`,
    "thread 'main' panicked: PoolExhaustedError",
  ],
  ruby: [
    `app.rb:3:in 'acquire': gave up (PoolExhaustedError)\n${many((i) => `\tfrom lib/step.rb:${i}:in 'Runner#step${i}'`)}`,
    "app.rb:3:in 'acquire': gave up (PoolExhaustedError)",
  ],
  php: [
    `PHP Fatal error:  Uncaught PoolExhaustedError: gave up in /app/a.php:3\n${many((i) => `#${i} /app/b.php(${i}): step()`)}\n#8 {main}`,
    'PHP Fatal error:  Uncaught PoolExhaustedError: gave up in /app/a.php:3',
  ],
  gdb: [
    `SIGSEGV in PoolExhaustedError\n${many((i) => `#${i}  0x00007f${i} in step${i} () from /lib/a.so`)}`,
    'SIGSEGV in PoolExhaustedError',
  ],
  elixir: [
    `** (PoolExhaustedError) gave up\n${many((i) => `    (app 0.1.0) lib/a.ex:${i}: App.step/1`)}`,
    '** (PoolExhaustedError) gave up',
  ],
};

describe('readStackTrace', () => {
  it.each(Object.keys(TRACES))('tells what a trace says from its frames: %s', (kind) => {
    const [trace = '', message] = TRACES[kind] ?? [];
    for (const text of [trace, trace.replaceAll('\n', '\r\n')]) {
      const read = readStackTrace(text);
      expect(read?.message.replaceAll(/\n\s*\n/g, '\n').trim()).toBe(message);
      expect(read?.frameCount).toBeGreaterThanOrEqual(8);
    }
  });

  const node = TRACES.node?.[0] ?? '';
  const java = TRACES.java?.[0] ?? '';
  const python = TRACES.python?.[0].replaceAll(/^\s+~+\^+$\n/gm, '') ?? '';
  it.each([
    ['> ', node],
    ['> > ', java],
    ['app_1  | ', node],
    ['app-1 | ', python],
    ['2026-11-28T10:00:00.123Z ', java],
    ['2026-11-28 10:00:00,123 ERROR [main] ', java],
    ['Nov 28 10:00:00 host-17 app[123]: ', python],
    ['2026-11-28T10:00:00.123456789Z stderr F ', node],
    ['[12:00:01] ', java],
  ])('reads a trace behind what a program or a person put before each line: %s', (prefix, trace) => {
    const text = trace.replaceAll(/^/gm, prefix);
    expect(readStackTrace(text)?.message).toBe(readStackTrace(trace)?.message);
  });

  it.each([
    ['node', node, 'PoolExhaustedError: gave up'],
    ['java', java, 'java.lang.RuntimeException: job failed\nCaused by: com.acme.PoolExhaustedError: gave up'],
    ['python', python, 'Traceback (most recent call last):\nPoolExhaustedError: gave up'],
  ])('reads a trace that was pasted as one line: %s', (_, trace, message) => {
    const read = readStackTrace(trace.replaceAll(/\s*\n\s*/g, ' '));
    expect(read?.message.replaceAll(/\s*\n\s*/g, '\n')).toBe(message);
  });

  it('keeps what a person wrote around it', () => {
    const [trace] = TRACES.node ?? [];
    expect(readStackTrace(`Since the upgrade I get this:\n\n${trace}\n\nWhat can I do?`)?.message).toMatch(
      /^Since the upgrade .*PoolExhaustedError: gave up\s+What can I do\?$/s,
    );
  });

  it.each([
    ['prose', 'Meet us\nat the station (north side)\nat noon or later.'],
    ['places in a sentence', 'It was 12 at noon (indoors) at night (outdoors) and at 10:30 still warm.'],
    ['one line', 'PoolExhaustedError at Runner.step (/srv/app.js:1:2)'],
    ['one frame', 'PoolExhaustedError\n    at Runner.step (/srv/app.js:1:2)'],
    ['a list', 'Steps:\n1: open the lid\n2: pour\n#3 stir'],
    ['nothing but frames', '    at a (/x.js:1:2)\n    at b (/x.js:3:4)'],
  ])('leaves other texts alone: %s', (_, text) => {
    expect(readStackTrace(text)).toBeUndefined();
  });

  it('takes no longer line for a frame than one can be', () => {
    const long = `    at ${'a.'.repeat(500)}b (/x.js:1:2)`;
    expect(readStackTrace(`Error: x\n${long}\n${long}`)).toBeUndefined();
  });
});
